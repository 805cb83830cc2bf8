import type { IncomingMessage, ServerResponse } from 'node:http';
import { liveTextInput } from '../../contract/live-text.ts';
import { sendJson } from '../http/answer.ts';
import type { AgentHttpDependencies } from './dependencies.ts';
import { asHttpRefusal } from './http-refusal.ts';
import { readAgentJson } from './read-agent-json.ts';

/** `POST /live-text`: what the agent has written of a message that it still writes. */
export async function takeLiveText(
  request: IncomingMessage,
  response: ServerResponse,
  _url: URL,
  { liveText, limits }: AgentHttpDependencies,
): Promise<void> {
  const { text } = await readAgentJson(request, limits.eventBytes, liveTextInput);
  try {
    await liveText.write(text);
  } catch (error) {
    throw asHttpRefusal(error);
  }
  sendJson(response, 200, { ok: true });
}
