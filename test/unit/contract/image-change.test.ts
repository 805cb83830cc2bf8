import { describe, expect, it } from '@jest/globals';
import type { Manifest } from '../../../contract/catalog.ts';
import { compareImage } from '../../../contract/image-change.ts';
import { manifestProblems } from '../../../contract/manifest-validation.ts';
import { runPattern } from '../../../contract/run-pattern.mjs';

const manifest: Manifest = {
  env: { A: { kind: 'value', label: 'a' }, B: { kind: 'secret', label: 'b' } },
  tool_scopes: { read: 'files.read', write: 'files.write' },
};
const entry = { image_digest: 'sha256:old', image_command: ['/server'], manifest };
const same = { added: [], removed: [], changed: [] };

describe('what a newer image changes', () => {
  it('is nothing when the content is the same, in whatever order', () => {
    const reordered: Manifest = {
      ...manifest,
      env: { B: { label: 'b', kind: 'secret' }, A: manifest.env['A'] ?? { kind: 'value', label: '' } },
    };
    expect(compareImage(entry, { digest: 'sha256:old', command: ['/server'], manifest: reordered })).toEqual({
      old_digest: 'sha256:old',
      new_digest: 'sha256:old',
      command_changed: false,
      env: same,
      tool_scopes: same,
      scopes: ['files.read', 'files.write'],
    });
  });

  it('names what was added, removed and changed', () => {
    const newer: Manifest = {
      env: { A: { kind: 'secret', label: 'a' }, C: { kind: 'value', label: 'c' } },
      tool_scopes: { read: 'files.read', write: 'files.append', remove: 'files.remove' },
    };
    expect(compareImage(entry, { digest: 'sha256:new', command: ['/other'], manifest: newer })).toEqual({
      old_digest: 'sha256:old',
      new_digest: 'sha256:new',
      command_changed: true,
      env: { added: ['C'], removed: ['B'], changed: ['A'] },
      tool_scopes: { added: ['remove'], removed: [], changed: ['write'] },
      scopes: ['files.append', 'files.read', 'files.remove'],
    });
  });
});

describe('variables that decide which code runs', () => {
  it.each([
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'NODE_OPTIONS',
    'PATH',
    'PYTHONPATH',
    'BASH_ENV',
    'GIT_SSH_COMMAND',
    'npm_config_script_shell',
    'NPM_CONFIG_NODE_OPTIONS',
    'UV_INDEX_URL',
    'PIP_CONFIG_FILE',
  ])('%s may not be declared', (name) => {
    const problems = manifestProblems(
      { env: { [name]: { kind: 'value', label: 'x' } }, tool_scopes: {} },
      runPattern,
    );
    expect(problems).toMatchObject([{ path: `manifest.env.${name}`, code: 'reserved_variable' }]);
  });
  it.each(['API_TOKEN', 'LOG_LEVEL', 'HOME', 'DATA_PATH', 'NODE_ENV', 'OLD_PATH', 'NPM_TOKEN', 'PIPELINE'])(
    '%s may',
    (name) => {
      expect(
        manifestProblems({ env: { [name]: { kind: 'value', label: 'x' } }, tool_scopes: {} }, runPattern),
      ).toEqual([]);
    },
  );
});
