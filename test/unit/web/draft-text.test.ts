import { expect, it } from '@jest/globals';
import { withoutSecrets } from '../../../web/src/text/draft-text.ts';

it('keeps what was typed but nothing that looks like a credential', () => {
  const values = {
    name: 'scribe',
    instructions: 'Write to ${PLACE}.\nThe token is none of yours.',
    limits: { internet: false, idleSeconds: 30 },
    env: [
      { name: 'LOG_LEVEL', value: 'debug' },
      { name: 'API_TOKEN', value: 'hunter2' },
      { name: 'API_TOKEN', value: '${GITHUB_TOKEN}' },
      { name: 'PLAIN', value: 'ghp_0123456789abcdefghij0123456789abcdef' },
    ],
    given: { DATABASE_URL: 'postgres://me:hunter2@host/db', REGION: 'eu' },
    empty: null,
  };
  expect(withoutSecrets(values)).toEqual({
    ...values,
    env: [
      { name: 'LOG_LEVEL', value: 'debug' },
      { name: 'API_TOKEN', value: '' },
      { name: 'API_TOKEN', value: '${GITHUB_TOKEN}' },
      { name: 'PLAIN', value: '' },
    ],
    given: { DATABASE_URL: '', REGION: 'eu' },
  });
});
