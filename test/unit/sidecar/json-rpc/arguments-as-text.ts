import type { ParsedLine } from '../../../../sidecar/json-rpc/parse-line.ts';

/** Of a long line the arguments of a call are bytes. */
export const withTextOfArguments = (parsed: ParsedLine): ParsedLine =>
  parsed.ok && parsed.rawArguments !== null
    ? { ...parsed, rawArguments: Buffer.from(parsed.rawArguments).toString() }
    : parsed;
