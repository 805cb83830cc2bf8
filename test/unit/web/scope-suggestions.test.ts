import { describe, expect, it } from '@jest/globals';
import { toolPolicy } from '../../../contract/catalog.ts';
import type { ClaimedTool } from '../../../web/src/api/types.ts';
import {
  accessAfter,
  accessProblem,
  accessWith,
  changedTools,
  chosenBefore,
  closesOthers,
  hintTexts,
  keptTools,
  scopeProblem,
  suggestedScope,
} from '../../../web/src/pages/catalog/check/scope-suggestions.ts';

const silent = { read_only: null, destructive: null, idempotent: null, open_world: null };
const tool = (name: string): ClaimedTool => ({ name, title: null, description: null, hints: silent });

describe('a suggested scope', () => {
  it.each([
    [silent, 'files.write'],
    [{ ...silent, read_only: true }, null],
    [{ ...silent, read_only: true }, null, 'read_file'],
    [silent, null, 'list_created_files'],
    [silent, 'files.write', 'get_write_status'],
    [{ ...silent, read_only: true }, null, 'get_write_status'],
    [{ ...silent, read_only: true }, 'files.write', 'get_or_create_user'],
    [silent, 'files.write', 'find_and_delete_files'],
    [{ ...silent, read_only: true }, 'files.write', 'list_deleted_files'],
    [{ ...silent, read_only: true }, 'files.write', 'revokeKey'],
    [{ ...silent, read_only: true }, 'files.write', 'transfer'],
    [silent, 'files.write', 'move_file'],
    [silent, 'files.write', 'createDirectory'],
    [silent, 'files.write', 'push'],
    [{ ...silent, read_only: true }, 'files.write', 'edit_file'],
    [{ ...silent, read_only: false }, 'files.write', 'list_things'],
    [silent, 'files.write', 'settings'],
    [silent, null, 'getSettings'],
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
    [{ ...silent, idempotent: true, open_world: true }, 'files.write'],
  ])('of %j is %s', (hints, scope, name = 'tool') => {
    expect(suggestedScope('files-2', { name, hints })).toBe(scope);
  });

  it('is always a valid scope', () => {
    for (const name of ['a', '1-2', 'my-server-3']) {
      expect(scopeProblem(suggestedScope(name, { name: 'write', hints: silent }) ?? '')).toBeNull();
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

describe('what the tools of an entry need', () => {
  const entry = {
    manifest: { env: {}, tool_scopes: { look: 'files.read', gone: 'files.write' } },
    unlisted_tools: 'allow' as const,
    listed_tools: ['earlier'],
  };
  const tools = [tool('look'), tool('write'), tool('constructor')];
  const before = chosenBefore(tools, entry);
  const gated = (scope: string) => ({ access: 'gated' as const, scope });
  const open = { access: 'open' as const, scope: '' };
  const off = { access: 'off' as const, scope: '' };

  it('begins as it is', () => {
    expect(before).toEqual({ look: gated('files.read'), write: open, constructor: open });
    expect(chosenBefore(tools, { ...entry, unlisted_tools: 'refuse', listed_tools: ['write'] })).toEqual({
      ...{ look: gated('files.read'), write: open, constructor: off },
    });
    expect(changedTools(entry, before)).toEqual([]);
    expect(accessWith(entry, before)).toEqual(entry);
  });

  it('keeps tools that were not listed, and drops what was opened', () => {
    expect(keptTools(tools, entry)).toEqual(['gone', 'earlier']);
    const chosen = { ...before, look: open, write: gated('files.write') };
    expect(changedTools(entry, chosen)).toEqual(['look', 'write']);
    expect(accessWith(entry, chosen)).toEqual({
      ...entry,
      manifest: { env: {}, tool_scopes: { gone: 'files.write', write: 'files.write' } },
    });
  });

  it('names the open ones as soon as one is not offered, and stays narrow afterwards', () => {
    const chosen = { ...before, constructor: off };
    expect(closesOthers(entry, chosen)).toBe(true);
    const narrow = accessWith(entry, chosen);
    expect(narrow).toMatchObject({ unlisted_tools: 'refuse', listed_tools: ['earlier', 'write'] });
    expect(chosenBefore(tools, narrow)).toEqual(chosen);
    expect(accessWith(narrow, before)).toMatchObject({
      ...{ unlisted_tools: 'refuse', listed_tools: ['earlier', 'write', 'constructor'] },
    });
  });

  it('never opens a tool by a name that a line would change', () => {
    for (const name of ['write\nerase', ' erase', 'erase\u2028', 'er\u0000ase', '\ufefferase']) {
      const odd = { ...before, [name]: open };
      // While whatever is not named is open, so is this.
      expect(accessAfter(entry, odd)).toEqual(odd);
      const narrow = { ...odd, constructor: off };
      expect(accessAfter(entry, narrow)).toEqual({ ...narrow, [name]: off });
      expect(accessWith(entry, narrow).listed_tools).toEqual(['earlier', 'write']);
      expect(toolPolicy.listed_tools.safeParse([name]).success).toBe(false);
    }
    expect(toolPolicy.listed_tools.safeParse(['erase', 'Lösche alles', 'a/b.c']).success).toBe(true);
  });

  it('takes no gate without a scope', () => {
    expect(accessProblem(gated(''))).toBe('is required');
    expect(accessProblem(gated('Wrong Scope'))).not.toBeNull();
    expect([accessProblem(open), accessProblem(gated('files.write'))]).toEqual([null, null]);
  });
});
