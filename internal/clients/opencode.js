// made by 'vault install opencode'; 'vault uninstall opencode' takes it out.
// It gives the model what vault remembers; whatever goes wrong, the turn goes on.
import { spawn } from "node:child_process"

const program = "VAULT"
const home = "VAULT_HOME"

// hook runs 'vault hook EVENT' and returns the context it gives.
const hook = (directory, event, input) =>
  new Promise((resolve) => {
    try {
      const env = home ? { ...process.env, VAULT_HOME: home } : process.env
      const child = spawn(program, ["hook", event, "--client", "opencode"], { cwd: directory, env, stdio: ["pipe", "pipe", "ignore"], timeout: 10000 })
      let out = ""
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (text) => (out += text))
      child.on("error", () => resolve(""))
      child.on("close", () => resolve(out.trim()))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ ...input, cwd: directory }))
    } catch {
      resolve("")
    }
  })

export const Vault = async ({ directory }) => {
  const starts = new Map() // each session's context, the same in every turn
  const start = (session) => {
    if (!starts.has(session)) {
      starts.set(session, hook(directory, "session-start", { session_id: session, hook_event_name: "SessionStart", source: "startup" }))
    }
    return starts.get(session)
  }
  return {
    "experimental.chat.system.transform": async (input, output) => {
      if (!input.sessionID) return
      const context = await start(input.sessionID)
      if (context) output.system.push(context)
    },
    "chat.message": async (input, output) => {
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      if (texts.length === 0) return
      const prompt = texts.map((part) => part.text).join("\n")
      const context = await hook(directory, "prompt", { session_id: input.sessionID, hook_event_name: "UserPromptSubmit", prompt })
      const last = output.parts[output.parts.length - 1]
      if (context) output.parts.push({ id: last.id + "v", sessionID: last.sessionID, messageID: last.messageID, type: "text", text: context, synthetic: true })
    },
    "experimental.session.compacting": async (input, output) => {
      const context = await hook(directory, "compact", { session_id: input.sessionID, hook_event_name: "PreCompact", trigger: "auto" })
      if (context) output.context.push(context)
    },
    event: async ({ event }) => {
      if (event.type === "session.compacted") starts.delete(event.properties.sessionID)
      if (event.type === "session.deleted") await hook(directory, "session-end", { session_id: event.properties.info?.id, hook_event_name: "SessionEnd", reason: "other" })
    },
  }
}
