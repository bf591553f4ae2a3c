package text

import "strings"

var (
	nouns = strings.Fields(`service queue cache request server index client schema session token worker table handler
		config branch release pipeline cluster record buffer commit socket thread lock header payload parser
		migration deployment endpoint database replica scheduler message stream snapshot journal volume bucket
		gateway registry manifest template session permission account invoice report dashboard metric trace
		alert budget quota timeout retry backoff checksum signature certificate secret password key value map
		list tree graph node edge leaf root path file folder archive image container process signal channel
		router proxy balancer firewall network packet frame codec compiler linker module package library
		dependency version tag changelog license test fixture benchmark profile sample histogram percentile
		latency throughput memory disk processor page sector block segment shard partition topic consumer
		producer broker event listener callback promise future iterator cursor query transaction savepoint
		constraint column row view trigger procedure function method interface structure field pointer slice
		string integer float boolean date calendar timezone locale language font colour layout widget button
		form dialog menu tooltip sidebar canvas editor terminal shell script command flag argument variable
		environment workspace project repository remote upstream mirror fork patch diff merge conflict review`)
	verbs = strings.Fields(`use keep move drop split store read write send load build cache retry log check parse
		merge sort rename replace remove validate encode decode compress encrypt sign verify measure limit
		throttle batch queue schedule publish subscribe poll watch lock release open close start stop restart
		deploy migrate rollback mirror fetch push pull rebase squash tag archive restore index search rank
		filter group join flatten normalise escape quote trim pad format print render draw paint scroll resize
		test mock stub fuzz profile trace sample count sum average compare hash seed shuffle pick`)
	adjectives = strings.Fields(`old new shared single second slow fast stable local remote internal public private
		nightly weekly stale fresh empty full broken partial atomic durable lazy eager strict loose sparse dense
		cold warm idle busy async pending final temporary permanent optional required hidden visible signed
		encrypted compressed cached indexed sorted nested flat wide narrow deep shallow legacy experimental
		read-only append-only per-user cross-region best-effort zero-copy`)
	openers = strings.Fields(`because although when if since while whenever unless before after today usually rarely
		eventually afterwards meanwhile therefore`)
	middles = strings.Split(`blocks,replaces,waits for,writes to,reads from,depends on,is older than,must not outlive,
		falls back to,shares state with,is rebuilt from,is measured against,leaks into,races with,is owned by,
		is cheaper than,breaks,protects,hides,drains,outgrew`, ",")
	joiners = strings.Split(`without,instead of,together with,in front of,next to,on top of,as part of,in place of`, ",")
	units   = strings.Fields(`milliseconds seconds minutes requests rows megabytes retries days users`)
)

func init() {
	for i, m := range middles {
		middles[i] = strings.TrimSpace(m)
	}
}
