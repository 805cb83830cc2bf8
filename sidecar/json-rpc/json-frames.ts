/** The objects and arrays that are open while a text is read, and which of them are kept. */

export interface Frame {
  /** Where the object or array starts. */
  start: number;
  list: unknown[] | null;
  members: Record<string, unknown> | null;
  /** Key of the member whose value comes next. */
  key: string;
  /** Of an object that is not kept: its keys so far. */
  keys: Set<string> | null;
  /** False: what it holds is checked, and it stays empty. */
  isKept: boolean;
}

const notKept = { start: 0, key: '', keys: null, isKept: false };
const anyList: Frame = { ...notKept, list: [], members: null };
/** In a text that already has a problem: only its grammar is still checked. */
const anyObject: Frame = { ...notKept, list: null, members: {} };
/** What a message carries for its reader: the gate decides nothing by it. */
const payloads: ReadonlyMap<string, readonly string[]> = new Map([
  ['params', ['arguments']],
  ['result', ['content', 'structuredContent']],
]);

/** A frame of a text that already has a problem. */
export const anyFrame = (isList: boolean): Frame => (isList ? anyList : anyObject);

/** A frame that begins at `start`, inside the open ones. */
export function frameIn(
  open: readonly Frame[],
  { start, isList, keepsPayloads }: { start: number; isList: boolean; keepsPayloads: boolean },
): Frame {
  if (open.at(-1)?.isKept === false) {
    // Each object has keys of its own.
    return isList ? anyList : { ...anyObject };
  }
  const isKept = keepsPayloads || !isPayload(open);
  return { start, list: isList ? [] : null, members: isList ? null : {}, key: '', keys: null, isKept };
}

/** Whether what begins inside the open frames is what a message carries. */
function isPayload([envelope, carrier]: readonly Frame[]): boolean {
  const members = envelope === undefined ? undefined : payloads.get(envelope.key);
  return carrier !== undefined && members?.includes(carrier.key) === true;
}
