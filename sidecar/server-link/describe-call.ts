/**
 * What names exactly one gated call, and what the people who may permit it are shown of it
 * (docs/sidecar.md#the-refused-call).
 */
import { sha256OfCall } from '../../contract/call-digest.ts';
import { maxShownArgumentsBytes, type ReportedCall } from '../../contract/permission-request.ts';
import { canonicalJson } from '../json-rpc/canonical-json.ts';
import type { Message } from '../json-rpc/message.ts';
import type { RawArguments } from '../json-rpc/parse-line.ts';

export interface DescribedCall {
  /** Null: no grant that is bound to one call permits it. */
  sha256: string | null;
  /**
   * Sent with the request for a permission that follows its refusal. With arguments only where
   * there is a hash of them.
   */
  reported: ReportedCall;
}

interface DescribableCall {
  server: string;
  tool: string;
  /** Whether its arguments say all that its server acts on. */
  isToldByArguments: boolean;
}

/**
 * `rawArguments` are null for a call without any, which a server may treat otherwise than an empty object:
 * their canonical text is then `null`, and no other call has it. `entryVersion` is undefined for the
 * platform's own server, which gates no tool.
 */
export function describeCall(
  { server, tool, isToldByArguments }: DescribableCall,
  rawArguments: RawArguments,
  entryVersion: number | undefined,
): DescribedCall {
  if (entryVersion === undefined || !isToldByArguments) {
    return { sha256: null, reported: { server, tool } };
  }
  const { text, sizeBytes } = canonicalJson(rawArguments ?? 'null', maxShownArgumentsBytes);
  const reported = { server, tool, arguments_size_bytes: sizeBytes };
  return text === null
    ? { sha256: null, reported }
    : {
        sha256: sha256OfCall({ server, tool, entryVersion, argumentsText: text }),
        reported: { ...reported, arguments: text },
      };
}

/**
 * `_meta` and `task` are of the client and of the protocol: they say how a call is
 * answered, not what it does.
 */
const membersOfPlainCall = new Set(['name', 'arguments', '_meta', 'task']);

/**
 * Whether the arguments of a call that begins with this message say all that its server acts on. They do not
 * when it brings the answers or the state of a round of input, which an agent can invent, or a member that
 * the protocol does not have.
 */
export const isToldByArguments = (message: Message): boolean =>
  message.kind === 'request' && Object.keys(message.params).every((member) => membersOfPlainCall.has(member));
