/** What the scripted ACP agent does in a turn, one after another. */
export type AcpStep =
  | { do: 'say'; text: string }
  /** Says the number of its process. */
  | { do: 'say_process' }
  /** Says what it was prompted with. */
  | { do: 'repeat_prompt' }
  /** Calls a tool of a server of the session, and says what it answered. */
  | { do: 'call'; server: string; tool: string; arguments?: Record<string, unknown> }
  /** Claims twice that it used a tool of its own. */
  | { do: 'own_tool'; title: string }
  /** Asks for a permission of the protocol, and says what it was answered. */
  | { do: 'ask'; title: string; kind: 'execute' | 'edit' | 'other' }
  /** Has its client write a file, and says what it was answered. */
  | { do: 'write_by_client'; path: string }
  | { do: 'print'; text: string }
  | { do: 'flood'; count: number }
  | { do: 'die' }
  | { do: 'wait_for_cancel' }
  /** Also when it is cancelled. */
  | { do: 'never_answer' }
  | { do: 'stop'; reason: 'max_tokens' | 'refusal' };
