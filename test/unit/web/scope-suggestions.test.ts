import { describe, expect, it } from '@jest/globals';
import type { ClaimedTool } from '../../../web/src/api/types.ts';
import {
  chosenBefore,
  hintTexts,
  manifestWith,
  scopeProblem,
  suggestedScope,
  unlistedTools,
} from '../../../web/src/pages/catalog/check/scope-suggestions.ts';

const silent = { read_only: null, destructive: null, idempotent: null, open_world: null };
const tool = (name: string): ClaimedTool => ({ name, title: null, description: null, hints: silent });

describe('a suggested scope', () => {
  it.each([
    [silent, null],
    [{ ...silent, read_only: true }, 'files.read'],
    [{ ...silent, read_only: false }, 'files.write'],
    [{ ...silent, read_only: false, destructive: false }, 'files.write'],
    [{ ...silent, destructive: true }, 'files.delete', 'delete_file'],
    [{ ...silent, read_only: true, destructive: true }, 'files.delete', 'delete_file'],
    [{ ...silent, read_only: false, destructive: true }, 'files.write', 'write_file'],
    [{ ...silent, read_only: true, destructive: true }, 'files.write', 'write_file'],
    [{ ...silent, destructive: true }, 'files.delete', 'removeAll'],
    [{ ...silent, destructive: true }, 'files.delete', 'drop-table'],
    [{ ...silent, destructive: true }, 'files.write', 'dropdown_set'],
    [{ ...silent, read_only: false }, 'files.write', 'delete_file'],
    [{ ...silent, idempotent: true, open_world: true }, null],
  ])('of %j is %s', (hints, scope, name = 'tool') => {
    expect(suggestedScope('files-2', { name, hints })).toBe(scope);
  });

  it('is always a valid scope', () => {
    for (const name of ['a', '1-2', 'my-server-3']) {
      expect(
        scopeProblem(suggestedScope(name, { name: 'look', hints: { ...silent, read_only: true } }) ?? ''),
      ).toBeNull();
    }
  });
});

it('shows each hint that was given, as it was given', () => {
  expect(hintTexts(silent)).toEqual([]);
  expect(hintTexts({ read_only: true, destructive: false, idempotent: null, open_world: true })).toEqual([
    'read-only',
    'not destructive',
    'reaches external systems',
  ]);
});

describe('the manifest with the scopes that were chosen', () => {
  const manifest = { env: {}, tool_scopes: { look: 'files.read', gone: 'files.write' } };
  const tools = [tool('look'), tool('write'), tool('constructor')];

  it('starts with its existing scopes', () => {
    expect(chosenBefore(tools, manifest)).toEqual({ look: 'files.read', write: '', constructor: '' });
  });

  it('keeps tools that were not listed, and drops cleared scopes', () => {
    expect(unlistedTools(tools, manifest)).toEqual(['gone']);
    expect(manifestWith(manifest, { look: '', write: 'files.write', constructor: '' })).toEqual({
      env: {},
      tool_scopes: { gone: 'files.write', write: 'files.write' },
    });
  });
});
