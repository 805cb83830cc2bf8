import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { callOutcome } from '../../../contract/audit-event.ts';
import { encodeSpoolRecord, readSpool, type SpoolRecord } from '../../../contract/audit-spool.ts';
import { checkProperty } from '../../support/property.ts';

/** Starts and ends of calls as they come: an end comes some time after its start, or never. */
const history = fc
  .array(
    fc.record({
      tool: fc.string({ maxLength: 60, unit: 'binary' }),
      outcome: fc.option(fc.constantFrom(...callOutcome.options)),
      endsAfter: fc.nat(5),
      payload: fc.option(fc.json()),
    }),
    { maxLength: 12 },
  )
  .map((calls) => {
    const timed = calls.flatMap(({ tool, outcome, endsAfter, payload }, index) => {
      const call_id = randomUUID();
      const json = payload === null ? {} : { arguments: { json: payload, truncated: false } };
      const started_at = '2026-01-01T00:00:00.000Z';
      const started: SpoolRecord = { kind: 'started', call_id, server: 'files', tool, started_at, ...json };
      const ended = { kind: 'ended', call_id, duration_ms: index, outcome: outcome ?? 'ok' } as const;
      return [
        { at: index, record: started },
        ...(outcome === null ? [] : [{ at: index + endsAfter + 0.5, record: ended as SpoolRecord }]),
      ];
    });
    return timed.sort((a, b) => a.at - b.at).map(({ record }) => record);
  });

/** What a reader must find when exactly these records are whole. */
function expected(records: readonly SpoolRecord[]) {
  return records.flatMap((record) => {
    if (record.kind !== 'started') {
      return [];
    }
    const end = records.find((other) => other.kind === 'ended' && other.call_id === record.call_id);
    return [[record.call_id, end?.kind === 'ended' ? end.outcome : 'unknown']];
  });
}
const found = (bytes: Buffer) => readSpool(bytes).calls.map(({ call_id, outcome }) => [call_id, outcome]);

describe('the audit spool', () => {
  it('returns every complete record, wherever the file was cut off', () => {
    checkProperty(
      fc.property(history, fc.double({ min: 0, max: 1, noNaN: true }), (records, share) => {
        const lines = records.map((record) => Buffer.from(encodeSpoolRecord(record)));
        const whole = Buffer.concat(lines);
        const cut = Math.floor(whole.length * share);
        let end = 0;
        const kept = records.filter((_, index) => {
          end += lines[index]?.length ?? 0;
          return end <= cut;
        });
        const rest = whole.subarray(0, cut);
        expect(found(rest)).toEqual(expected(kept));
        // The file has preallocated space; so does one that was cut off.
        expect(found(Buffer.concat([rest, Buffer.alloc(100)]))).toEqual(expected(kept));
      }),
      { runs: 100 },
    );
  });

  it('returns every other record when bytes of one are damaged', () => {
    checkProperty(
      fc.property(
        history.filter((records) => records.length > 0),
        fc.nat(),
        fc.uint8Array({ minLength: 1, maxLength: 8 }),
        (records, position, garbage) => {
          const lines = records.map((record) => Buffer.from(encodeSpoolRecord(record)));
          const hit = position % lines.length;
          const line = lines[hit] ?? Buffer.alloc(0);
          // The line feed stays, so that only one record is damaged.
          const damaged = Buffer.concat([Buffer.from(garbage).map((byte) => (byte === 10 ? 0 : byte)), line]);
          const read = readSpool(Buffer.concat(lines.with(hit, damaged)));
          const rest = records.filter((_, index) => index !== hit);
          expect(read.calls.map(({ call_id, outcome }) => [call_id, outcome])).toEqual(expected(rest));
          expect(read.damagedLines).toBe(1);
        },
      ),
    );
  });

  it('reads anything at all without an error', () => {
    checkProperty(fc.property(fc.uint8Array(), (bytes) => readSpool(Buffer.from(bytes)).calls.length === 0));
    expect(readSpool(Buffer.alloc(0))).toEqual({ calls: [], counts: [], reportedCalls: 0, damagedLines: 0 });
    expect(readSpool(Buffer.alloc(9))).toEqual({ calls: [], counts: [], reportedCalls: 0, damagedLines: 0 });
  });

  it('does not accept the checksum of one record for another', () => {
    const started = {
      kind: 'started',
      server: 'files',
      tool: 't',
      started_at: '2026-01-01T00:00:00Z',
    } as const;
    const line = encodeSpoolRecord({ ...started, call_id: randomUUID() });
    const other = encodeSpoolRecord({ ...started, call_id: randomUUID() });
    expect(readSpool(Buffer.from(line.slice(0, 17) + other.slice(17))).calls).toEqual([]);
    expect(readSpool(Buffer.from(line + line)).calls).toHaveLength(1);
  });
});
