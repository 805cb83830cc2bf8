import { expect, it } from '@jest/globals';
import { createLastRefusals } from '../../../../sidecar/server-link/last-refusals.ts';

const write = { server: 'files', tool: 'write', arguments: '{"a":1}', arguments_size_bytes: 7 };
const remove = { server: 'other', tool: 'remove', arguments_size_bytes: 20_000 };

it('has the call that was refused last for each scope, and nothing of an earlier one', () => {
  const refusals = createLastRefusals();
  expect(refusals.lastFor('files.write')).toBeNull();
  refusals.remember('files.write', write);
  expect(refusals.lastFor('files.write')).toEqual(write);
  expect(refusals.lastFor('files.remove')).toBeNull();
  refusals.remember('files.remove', remove);
  refusals.remember('files.write', remove);
  expect(refusals.lastFor('files.write')).toEqual(remove);
  refusals.remember('files.write', { server: 'files', tool: 'write' });
  expect(refusals.lastFor('files.write')).toEqual({ server: 'files', tool: 'write' });
});

it('has the arguments for the last 64 scopes, and server and tool for all', () => {
  const refusals = createLastRefusals();
  const scopes = Array.from({ length: 65 }, (_, at) => `files.${'x'.repeat(at + 1)}`);
  const [first = '', second = '', ...rest] = scopes;
  for (const scope of scopes.slice(0, 64)) {
    refusals.remember(scope, write);
  }
  expect(scopes.slice(0, 64).map((scope) => refusals.lastFor(scope))).toEqual(Array(64).fill(write));
  // Refused again, it is no longer the oldest.
  refusals.remember(first, remove);
  refusals.remember(rest.at(-1) ?? '', write);
  expect(refusals.lastFor(first)).toEqual(remove);
  expect(refusals.lastFor(second)).toEqual({ server: 'files', tool: 'write' });
  expect(rest.map((scope) => refusals.lastFor(scope))).toEqual(Array(63).fill(write));
});

it('is not changed by what the caller does with it', () => {
  const refusals = createLastRefusals();
  refusals.remember('files.write', write);
  const sent = refusals.lastFor('files.write');
  refusals.remember('files.write', remove);
  expect(sent).toEqual(write);
});
