/** How a tool call went, in the words that `expect` uses. */
import * as z from 'zod';
import { jsonOrNull } from '../contract/json-or-null.ts';

export type CallResult =
  /** `structured`: its `structuredContent`; undefined without one. */
  { ok: true; structured: unknown } | { ok: false; code: string | null; message: string };

const coded = z.object({ code: z.string(), message: z.string().optional() });
const structuredResult = z.object({ structuredContent: z.unknown().optional() });
const errorResult = z.object({
  isError: z.literal(true),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })).default([]),
  _meta: z.record(z.string(), z.unknown()).optional(),
});
const rpcError = z.object({ message: z.string(), data: z.unknown().optional() });

/** Reads a tool result: an error's code is in `_meta["platform/error"]` or in its JSON text. */
export function outcomeOfResult(result: unknown): CallResult {
  const error = errorResult.safeParse(result);
  if (!error.success) {
    return { ok: true, structured: structuredResult.safeParse(result).data?.structuredContent };
  }
  const text = error.data.content.find((part) => part.type === 'text')?.text ?? 'the tool failed';
  const found = [error.data._meta?.['platform/error'], jsonOrNull(text)].map((value) =>
    coded.safeParse(value),
  );
  const { code = null, message = text } = found.find((value) => value.success)?.data ?? {};
  return { ok: false, code, message };
}

/** Reads what a client threw: a JSON-RPC error's code is in its data. */
export function outcomeOfError(thrown: unknown): CallResult {
  const error = rpcError.safeParse(thrown);
  const { message = 'the call failed', data } = error.data ?? {};
  return { ok: false, code: coded.partial().safeParse(data).data?.code ?? null, message };
}

export function isExpected(expect: string, outcome: CallResult): boolean {
  if (expect === 'ok') {
    return outcome.ok;
  }
  return !outcome.ok && (expect === 'error' || outcome.code === expect);
}

export function describeOutcome(outcome: CallResult): string {
  return outcome.ok ? 'ok' : `${outcome.code ?? 'error'} (${outcome.message})`;
}
