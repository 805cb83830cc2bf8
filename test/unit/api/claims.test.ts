import { describe, expect, it } from '@jest/globals';
import { readGroups } from '../../../api/auth/claims.ts';

const values = (...sources: Record<string, unknown>[]) => {
  const groups = readGroups(sources, 'groups');
  return 'problem' in groups ? groups.problem : [...groups.values];
};

describe('groups in a claim', () => {
  it('are its texts, each once', () => {
    expect(values({ groups: ['a', 'b', 'a'] })).toEqual(['a', 'b']);
    expect(values({ groups: [] })).toEqual([]);
    const many = Array.from({ length: 500 }, (_, index) => `group ${index}`);
    expect(values({ groups: many })).toEqual(many);
  });

  it('are those of the ID token, and of userinfo where that has none', () => {
    expect(values({ groups: ['token'] }, { groups: ['userinfo'] })).toEqual(['token']);
    expect(values({ groups: [] }, { groups: ['userinfo'] })).toEqual([]);
    expect(values({}, { groups: ['userinfo'] })).toEqual(['userinfo']);
  });

  it.each([
    ['a text', 'admins'],
    ['a list in a text', '["admins"]'],
    ['null', null],
    ['an object', { 0: 'admins' }],
    ['a list of other things', ['admins', 7]],
    ['a list in a list', [['admins']]],
  ])('are not known where the claim is %s', (_what, groups) => {
    expect(values({ groups }, { groups: ['admins'] })).toBe('claim_wrong_type');
  });

  it('are not known where there is no claim, whatever an object has by itself', () => {
    expect(values({}, {})).toBe('claim_missing');
    expect(readGroups([{}], 'constructor')).toEqual({ problem: 'claim_missing' });
  });

  it.each([
    { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } },
    { hasgroups: true },
    { hasgroups: 'true', groups: ['some'] },
  ])('are not known where some were left out: %j', (cutOff) => {
    expect(values(cutOff, { groups: ['some'] })).toBe('claim_cut_off');
    expect(values({ groups: ['some'] }, cutOff)).toBe('claim_cut_off');
  });

  it('are known where another claim was left out', () => {
    expect(values({ _claim_names: { wids: 'src1' }, groups: ['a'] })).toEqual(['a']);
  });
});
