import { describe, expect, it } from '@jest/globals';
import { createGateMap } from '../../../../sidecar/gate/gate-map.ts';

const gates = (gated: string, name: string) => createGateMap({ [gated]: 'a.b' }).lookUp(name);

describe('the gate of a tool', () => {
  it('is its scope, or none', () => {
    const map = createGateMap({ write_file: 'files.write', remove: 'files.remove' });
    expect(map.lookUp('write_file')).toEqual({ kind: 'gated', scope: 'files.write' });
    expect(map.lookUp('remove')).toEqual({ kind: 'gated', scope: 'files.remove' });
    for (const name of ['read', 'write', 'write_files', 'toString', '__proto__', 'constructor', '']) {
      expect(map.lookUp(name)).toEqual({ kind: 'ungated' });
    }
  });

  it.each([
    ['case', 'write_file', 'WRITE_file'],
    ['case, in the gated name', 'WRITE_FILE', 'write_file'],
    ['a letter that is two in capitals', 'straße', 'STRASSE'],
    ['a capital that only exists beside its letter', 'straße', 'STRAẞE'],
    ['a dotless letter', 'write_file', 'wr\u0131te_file'],
    ['a long s', 'list', 'li\u017ft'],
    ['a Kelvin sign', 'kill', '\u212aill'],
    ['a wide form', 'write_file', '\uff57rite_file'],
    ['a ligature', 'file', '\ufb01le'],
    ['an accent of its own', 'caf\u00e9', 'cafe\u0301'],
    ['an accent that joins what case makes of a letter', 's\u015b', '\u00df\u0301'],
    ['a soft hyphen', 'write_file', 'write\u00ad_file'],
    ['a character without width', 'write_file', '\u200bwrite_file'],
    ['space before it', 'write_file', ' write_file'],
    ['space after it', 'write_file', 'write_file\u3000'],
    ['space behind a character without width', 'write_file', '\u2060 write_file'],
  ])('is not bypassed by a name that differs by %s', (_title, gated, name) => {
    expect(name).not.toBe(gated);
    expect(gates(gated, name)).toEqual({ kind: 'lookalike', imitates: gated });
    expect(gates(gated, gated)).toEqual({ kind: 'gated', scope: 'a.b' });
  });
});
