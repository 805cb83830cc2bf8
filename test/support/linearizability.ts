/**
 * Is there an order of these overlapping operations in which each one takes effect at one instant between its
 * call and its answer, and a sequential object would have given the same answers? (Wing and Gong, "Testing
 * and verifying concurrent objects", with the memory of visited configurations that Lowe added.)
 */

export interface Timed<Operation> {
  operation: Operation;
  /** Ticks of one clock for all operations: what ended before another began has the smaller tick. */
  calledAt: number;
  answeredAt: number;
}

export interface SequentialModel<State, Operation> {
  initial: State;
  /** The state afterwards, or null when the object could not have given this answer in this state. */
  apply(state: State, operation: Operation): State | null;
  /** Never changes the state, whatever it is. */
  isRead(operation: Operation): boolean;
}

/** The longest order that was found, and what could not come next. */
export interface Contradiction<Operation> {
  order: Operation[];
  stuckAt: Operation[];
}

/** States are compared with `===`, so they are best strings. Returns null for a linearizable history. */
export function findContradiction<State, Operation>(
  history: readonly Timed<Operation>[],
  model: SequentialModel<State, Operation>,
): Contradiction<Operation> | null {
  const calls = history.toSorted((left, right) => left.calledAt - right.calledAt);
  const done = new Uint8Array(calls.length);
  const order: number[] = [];
  const choices: { state: State; candidates: number[]; orderLength: number }[] = [];
  const visited = new Set<string>();
  let state = model.initial;
  let longest: Contradiction<Operation> = { order: [], stuckAt: [] };

  const take = (index: number) => {
    done[index] = 1;
    order.push(index);
  };
  const operationAt = (index: number): Operation => (calls[index] as Timed<Operation>).operation;
  const possible = () => mayComeNext(calls, done, order.length);
  /** A read that fits may be taken at once: postponing it enables no further order. */
  const takeFittingReads = () => {
    for (let taken = true; taken; ) {
      const free = possible().filter(
        (index) => model.isRead(operationAt(index)) && model.apply(state, operationAt(index)) !== null,
      );
      free.forEach(take);
      taken = free.length > 0;
    }
  };

  takeFittingReads();
  let candidates = possible();
  while (order.length < calls.length) {
    const next = candidates.shift();
    if (next === undefined) {
      if (order.length >= longest.order.length) {
        longest = { order: order.map(operationAt), stuckAt: possible().map(operationAt) };
      }
      const back = choices.pop();
      if (back === undefined) {
        return longest;
      }
      for (const index of order.splice(back.orderLength)) {
        done[index] = 0;
      }
      ({ state, candidates } = back);
      continue;
    }
    const after = model.apply(state, operationAt(next));
    if (after === null) {
      continue;
    }
    const before = { state, candidates, orderLength: order.length };
    take(next);
    state = after;
    takeFittingReads();
    const configuration = `${String(state)} ${configurationOf(done, order.length)}`;
    if (visited.has(configuration)) {
      for (const index of order.splice(before.orderLength)) {
        done[index] = 0;
      }
      ({ state, candidates } = before);
      continue;
    }
    visited.add(configuration);
    choices.push(before);
    candidates = possible();
  }
  return null;
}

/** Everything that was called before the first answer among the operations that are not done. */
function mayComeNext(calls: readonly Timed<unknown>[], done: Uint8Array, doneCount: number): number[] {
  const found: number[] = [];
  let firstAnswer = Number.POSITIVE_INFINITY;
  for (let index = firstNotDone(done, doneCount); index < calls.length; index += 1) {
    const call = calls[index] as Timed<unknown>;
    if (call.calledAt > firstAnswer) {
      break;
    }
    if (done[index] === 0) {
      found.push(index);
      firstAnswer = Math.min(firstAnswer, call.answeredAt);
    }
  }
  return found;
}

/** At most `doneCount` are done, so the first that is not done is at this index at the latest. */
function firstNotDone(done: Uint8Array, doneCount: number): number {
  const index = done.indexOf(0);
  return index === -1 ? doneCount : index;
}

/** Which operations are done: all before the first that is not, and some of those that overlap it. */
function configurationOf(done: Uint8Array, doneCount: number): string {
  const from = firstNotDone(done, doneCount);
  const rest: number[] = [];
  for (let index = from + 1, left = doneCount - from; left > 0; index += 1) {
    if (done[index] === 1) {
      rest.push(index);
      left -= 1;
    }
  }
  return `${from}:${rest.join()}`;
}
