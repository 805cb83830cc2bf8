/** Waiters for a turn, in order: only one long line is parsed in each round of the event loop. */
const waiting: (() => void)[] = [];

/** Resolves in a later round of the event loop, after whatever else was ready, and never two in one round. */
export function nextLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) {
      setImmediate(takeTurn);
    }
  });
}

function takeTurn(): void {
  const [first] = waiting;
  first?.();
  waiting.shift();
  if (waiting.length > 0) {
    setImmediate(takeTurn);
  }
}
