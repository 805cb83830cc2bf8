/** Asks a server for its tools. The response is untrusted: bounded, truncated, and of a closed shape. */
import { type Client, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { type ClaimedTool, type ToolListing, toolListingLimits } from '../../contract/mcp-check.ts';
import { cutText } from './cut-text.ts';

const limits = toolListingLimits;
const pageTimeoutMs = 30_000;
/** Of all pages together. */
const listTimeoutMs = 60_000;

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });
const hint = z.boolean().nullable().catch(null).default(null);
const text = z.string().nullable().catch(null).default(null);
const sentTool = z.looseObject({
  name: z.string().min(1).max(limits.nameCharacters),
  title: text,
  description: text,
  annotations: z
    .looseObject({
      title: text,
      readOnlyHint: hint,
      destructiveHint: hint,
      idempotentHint: hint,
      openWorldHint: hint,
    })
    .nullable()
    .catch(null)
    .default(null),
});

const nothing = { tools: [], left_out: 0, is_cut: false, list_ms: null };
export const notConnected: ToolListing = { outcome: 'not_connected', ...nothing };

/** Page by page, until there are no more, a cursor comes again, or a limit is reached. Never throws. */
export async function listTools(client: Client): Promise<ToolListing> {
  const collected = new Collected();
  const startedAtMs = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedAtMs);
  try {
    let cursor: string | undefined;
    const cursors = new Set<string>();
    for (let pages = 0; !collected.isFull && pages < limits.pages; pages += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const timeout = Math.min(pageTimeoutMs, Math.max(1, listTimeoutMs - elapsedMs()));
      const answer = await client.request({ method: 'tools/list', params }, page, { timeout });
      // Servers that know no empty cursor answer it with the first page again.
      collected.add(answer.tools, { countsRepeated: cursor !== '' });
      cursor = answer.nextCursor ?? undefined;
      if (cursor === undefined || cursors.has(cursor)) {
        return { outcome: 'listed', ...collected.listing, list_ms: elapsedMs() };
      }
      cursors.add(cursor);
    }
    return { outcome: 'listed', ...collected.listing, is_cut: true, list_ms: elapsedMs() };
  } catch (error) {
    return { outcome: outcomeOf(error), ...nothing };
  }
}

function outcomeOf(error: unknown): 'refused' | 'timed_out' | 'not_understood' {
  if (error instanceof SdkError) {
    return error.code === SdkErrorCode.RequestTimeout ? 'timed_out' : 'not_understood';
  }
  const coded = z.object({ code: z.number() }).safeParse(error);
  return coded.success ? 'refused' : 'not_understood';
}

class Collected {
  readonly #tools = new Map<string, ClaimedTool>();
  #leftOut = 0;
  #textBytes = 0;
  #isCut = false;

  get isFull(): boolean {
    return this.#tools.size >= limits.tools || this.#isCut;
  }

  get listing() {
    return { tools: [...this.#tools.values()], left_out: this.#leftOut, is_cut: this.#isCut };
  }

  add(sent: readonly unknown[], { countsRepeated }: { countsRepeated: boolean }): void {
    for (const each of sent) {
      const tool = this.isFull ? null : present(each);
      const isRepeated = tool !== null && this.#tools.has(tool.name);
      if (tool === null || isRepeated) {
        this.#leftOut += isRepeated && !countsRepeated ? 0 : 1;
        continue;
      }
      const bytes = Buffer.byteLength(tool.name + (tool.title ?? '') + (tool.description ?? ''));
      if (this.#textBytes + bytes > limits.textBytes) {
        this.#isCut = true;
        this.#leftOut += 1;
        continue;
      }
      this.#textBytes += bytes;
      this.#tools.set(tool.name, tool);
    }
  }
}

/** Null without a usable name. */
function present(sent: unknown): ClaimedTool | null {
  const { data } = sentTool.safeParse(sent);
  return data === undefined
    ? null
    : {
        name: data.name,
        title: cut(data.title ?? data.annotations?.title ?? null, limits.titleCharacters),
        description: cut(data.description, limits.descriptionCharacters),
        hints: {
          read_only: data.annotations?.readOnlyHint ?? null,
          destructive: data.annotations?.destructiveHint ?? null,
          idempotent: data.annotations?.idempotentHint ?? null,
          open_world: data.annotations?.openWorldHint ?? null,
        },
      };
}

const cut = (text: string | null, maxCharacters: number) =>
  text === null ? null : cutText(text, maxCharacters);
