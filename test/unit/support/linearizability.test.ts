import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findContradiction, type SequentialModel, type Timed } from '../../support/linearizability.ts';
import { checkProperty } from '../../support/property.ts';

type RegisterOperation = { write: number } | { read: number };

const register: SequentialModel<number, RegisterOperation> = {
  initial: 0,
  apply: (state, operation) =>
    'write' in operation ? operation.write : operation.read === state ? state : null,
  isRead: (operation) => 'read' in operation,
};

const during = (
  calledAt: number,
  answeredAt: number,
  operation: RegisterOperation,
): Timed<RegisterOperation> => ({ operation, calledAt, answeredAt });
const judge = (...history: Timed<RegisterOperation>[]) => findContradiction(history, register);

describe('a history is linearizable when', () => {
  it.each<[string, Timed<RegisterOperation>[]]>([
    ['nothing happened', []],
    ['a read sees the write before it', [during(1, 2, { write: 1 }), during(3, 4, { read: 1 })]],
    ['a read during a write sees it', [during(1, 5, { write: 1 }), during(2, 3, { read: 1 })]],
    ['a read during a write does not see it', [during(1, 5, { write: 1 }), during(2, 3, { read: 0 })]],
    [
      'two writes overlap and a read sees the one that was called first',
      [during(1, 5, { write: 1 }), during(2, 6, { write: 2 }), during(7, 8, { read: 1 })],
    ],
    [
      'the first choice among overlapping writes leads nowhere',
      [
        during(1, 9, { write: 1 }),
        during(2, 9, { write: 2 }),
        during(3, 4, { read: 2 }),
        during(5, 6, { read: 1 }),
        during(10, 11, { read: 1 }),
      ],
    ],
  ])('%s', (_what, history) => {
    expect(judge(...history)).toBeNull();
  });
});

describe('a history is refused when', () => {
  it.each<[string, Timed<RegisterOperation>[]]>([
    ['a read sees what nobody wrote', [during(1, 2, { read: 7 })]],
    ['a read misses the write before it', [during(1, 2, { write: 1 }), during(3, 4, { read: 0 })]],
    ['a read sees a write that comes later', [during(1, 2, { read: 1 }), during(3, 4, { write: 1 })]],
    [
      'what was read is unread again',
      [during(1, 9, { write: 1 }), during(2, 3, { read: 1 }), during(4, 5, { read: 0 })],
    ],
    [
      'two readers see two writes in opposite orders',
      [
        during(1, 9, { write: 1 }),
        during(1, 9, { write: 2 }),
        during(2, 3, { read: 1 }),
        during(4, 5, { read: 2 }),
        during(6, 7, { read: 1 }),
      ],
    ],
  ])('%s', (_what, history) => {
    expect(judge(...history)).not.toBeNull();
  });

  it('and the point where no order is possible is reported', () => {
    const contradiction = judge(during(1, 2, { write: 1 }), during(3, 4, { read: 0 }));
    expect(contradiction).toEqual({ order: [{ write: 1 }], stuckAt: [{ read: 0 }] });
  });
});

describe('any history', () => {
  const operation = fc.oneof(
    fc.record({ write: fc.integer({ min: 0, max: 2 }) }),
    fc.record({ read: fc.integer({ min: 0, max: 2 }) }),
  );
  const histories = fc.array(
    fc
      .tuple(operation, fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 6 }))
      .map(([what, from, length]) => during(2 * from, 2 * (from + length) + 1, what)),
    { maxLength: 6 },
  );

  it('has the same verdict as by trying all orders', () => {
    checkProperty(
      fc.property(histories, (history) => {
        expect(judge(...history) === null).toBe(someOrderFits(history, register.initial));
      }),
      { runs: 3000 },
    );
  });
});

function someOrderFits(left: readonly Timed<RegisterOperation>[], state: number): boolean {
  return (
    left.length === 0 ||
    left.some((first) => {
      const rest = left.filter((other) => other !== first);
      const after = register.apply(state, first.operation);
      const mayBeFirst = rest.every(({ answeredAt }) => first.calledAt < answeredAt);
      return mayBeFirst && after !== null && someOrderFits(rest, after);
    })
  );
}
