/** What an agent deploys as a preview, as texts that it runs. */
import type { Kit } from '../inside/kit.ts';

/** Deploys one after the other; the code of each refusal, or the preview's id. */
export const deployEach = async (kit: Kit, _target: unknown, each: object[]): Promise<string[]> => {
  const said: string[] = [];
  for (const args of each) {
    const answer = JSON.stringify(await kit.callTool('platform', 'preview_deploy', args));
    const found =
      /"code\\*":\\*"(\w+)/.exec(answer) ?? /"preview_id\\*":\\*"([0-9a-f-]{36})/.exec(answer) ?? [];
    said.push(found[1] ?? answer);
  }
  return said;
};

const index = { path: 'index.html', text: 'x' };
export const honestPreview = { files: [index] };

/** Beside what every preview has, so that it is refused for itself. */
const file = (path: string, more: object = {}) => ({ files: [index, { path, text: 'x', ...more }] });

/** Each leads elsewhere, or is no file. */
export const wrongPreviews: readonly object[] = [
  file('/etc/passwd'),
  file('../index.html'),
  file('a/../../b'),
  file('..\\b'),
  file('c:/a'),
  file('%2e%2e/a'),
  file('a\u202eb'),
  file('\uff0e\uff0e/a'),
  file('.well-known/acme-challenge/a'),
  file('con'),
  file('a', { link: '/etc/passwd' }),
  file('a', { base64: 'eA==' }),
  { files: [index, { path: 'a', base64: 'no base64!' }] },
  { files: [...file('a').files, { path: 'A', text: 'x' }] },
  { archive: 'UEsDBA==' },
  { ...honestPreview, ttl_seconds: 10 ** 9 },
  { ...honestPreview, session_id: '00000000-0000-4000-8000-000000000000' },
];
