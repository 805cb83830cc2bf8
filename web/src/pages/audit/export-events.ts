/** The audit trail as a file, whole or not at all: a part of it that looks like all of it would mislead. */
import { watchedFetch } from '../../api/client.ts';
import { failureOf, unreachable } from '../../api/failure.ts';
import type { AuditFilter } from './audit-filter.ts';

const newline = 10;

export interface ExportedEvents {
  file: Blob;
  count: number;
}

/**
 * Returns every event that passes the filter. Throws an ApiFailure when the platform refuses, or
 * the response is cut off.
 */
export async function exportEvents(slug: string, filter: AuditFilter): Promise<ExportedEvents> {
  const query = new URLSearchParams(Object.entries(filter));
  const address = `/api/workspaces/${encodeURIComponent(slug)}/audit-events?${query}`;
  const response = await watchedFetch(address, { headers: { accept: 'application/x-ndjson' } });
  if (!response.ok || response.body === null) {
    throw failureOf(response, await response.json().catch(() => null));
  }
  try {
    return await readLines(response.body);
  } catch {
    throw unreachable();
  }
}

async function readLines(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<ExportedEvents> {
  const parts: BlobPart[] = [];
  let count = 0;
  const reader = body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    parts.push(read.value);
    count += countLines(read.value);
  }
  return { file: new Blob(parts, { type: 'application/x-ndjson' }), count };
}

/** Counts the line ends in it. */
function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) {
    count += byte === newline ? 1 : 0;
  }
  return count;
}
