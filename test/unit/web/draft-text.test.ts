import { expect, it } from '@jest/globals';
import { withoutSecrets } from '../../../web/src/text/draft-text.ts';

it('keeps what was typed but nothing that looks like a credential', () => {
  const values = {
    name: 'scribe',
    instructions: 'Write to ${PLACE}.\nThe token is none of yours.',
    limits: { internet: false, idleSeconds: 30 },
    env: [
      { name: 'LOG_LEVEL', kind: 'value', text: 'debug' },
      { name: 'API_TOKEN', kind: 'value', text: 'hunter2' },
      { name: 'API_TOKEN', kind: 'value', text: '${GITHUB_TOKEN}' },
      { name: 'API_TOKEN', kind: 'secret', text: 'FOR_SCRIBE' },
      { name: 'PLAIN', kind: 'value', text: 'ghp_0123456789abcdefghij0123456789abcdef' },
    ],
    given: { DATABASE_URL: 'postgres://me:hunter2@host/db', REGION: 'eu' },
    empty: null,
  };
  expect(withoutSecrets(values)).toEqual({
    ...values,
    env: [
      { name: 'LOG_LEVEL', kind: 'value', text: 'debug' },
      { name: 'API_TOKEN', kind: 'value', text: '' },
      { name: 'API_TOKEN', kind: 'value', text: '${GITHUB_TOKEN}' },
      { name: 'API_TOKEN', kind: 'secret', text: 'FOR_SCRIBE' },
      { name: 'PLAIN', kind: 'value', text: '' },
    ],
    given: { DATABASE_URL: '', REGION: 'eu' },
  });
});

it('takes a credential out of a longer text and keeps the rest', () => {
  const token = 'ghp_0123456789abcdefghij0123456789abcdef';
  const texts = {
    prompt: `Use ${token}, then\n  read docs/operations.md.`,
    manifest: `{ "env": { "A": { "default": "${token}" } } }`,
    args: ['--header', `Authorization=${token}`, '--api-key', 'hunter2', 'serve'],
    run: 'psql postgres://me:hunter2@host/db -c "select 1"',
    reference: 'Write to ${PLACE}, "${OTHER}" too.',
  };
  expect(withoutSecrets(texts)).toEqual({
    prompt: 'Use , then\n  read docs/operations.md.',
    manifest: '{ "env": { "A": { "default": "" } } }',
    args: ['--header', '', '--api-key', '', 'serve'],
    run: 'psql  -c "select 1"',
    reference: texts.reference,
  });
});
