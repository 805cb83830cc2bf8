/** What a program that asks a model reports of its run, as far as the platform acts on it or shows it. */
export type RunStep =
  /** Which MCP servers are not connected. */
  | { type: 'started'; failedServers: string[] }
  /** The next piece of a text that comes whole later. `begins`: the first one, which may be empty. */
  | { type: 'piece'; text: string; begins: boolean }
  /** `cutOff`: it did not come to its end. */
  | { type: 'text'; text: string; cutOff?: boolean }
  | { type: 'call'; id: string; tool: string }
  /** `text`: what the model reads. */
  | { type: 'result'; id: string; failed: boolean; text: string }
  /** Of a tool that is no server's: the agent's own claim. */
  | { type: 'own_tool'; title: string; failed: boolean }
  /** What the client itself has to say of the agent. */
  | { type: 'notice'; text: string }
  | { type: 'problem'; text: string }
  | { type: 'retry'; attempt: number; attempts: number; status: number | null }
  /**
   * `error`: why the turn did not come to its end; null when it did. `queued`: how many
   * inputs wait for further turns.
   */
  | { type: 'turn_ended'; error: string | null; queued: number };
