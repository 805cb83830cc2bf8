/**
 * Moves one person from one subject of an identity provider to another (docs/operations.md, Moving a person).
 */
import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import * as z from 'zod';
import { movePerson, NotMovedError } from '../commands/members/move-person.ts';
import { ConfigurationError } from '../config/parse.ts';
import { requireUsableDatabase } from '../store/usable-server.ts';
import { listUsersByAddress } from '../store/users/users.ts';
import { listWorkspacesOfUser } from '../store/workspaces/workspaces.ts';
import { databaseVariables, onDatabase, runCommand } from './run-command.ts';

const help = `node dist/move-person.js --list ADDRESS
node dist/move-person.js --from-issuer URL --from-subject TEXT --to-issuer URL --to-subject TEXT [--dry-run]

Lets the person whom an identity provider calls TO go on as the one whom FROM signed in as: with their workspaces, agents and grants.
Every sign-in of both ends, and each of the person's workspaces audits it. With FROM and TO exchanged, the same command undoes it.
It needs DATABASE_URL (or DATABASE_URL_FILE), and may run beside the platform. It ends with 0 when the person was moved, else with 1.

  --list ADDRESS                 prints issuer, subject and workspaces of everybody with this e-mail address
  --from-issuer, --from-subject  who the person was
  --to-issuer, --to-subject      who the person is now, who may have signed in already and is in no workspace
  --dry-run                      says who would be moved, and changes nothing
  --help                         prints this
`;

const identity = z.string().min(1, 'is required').max(2000);
const move = z.object({
  'from-issuer': identity,
  'from-subject': identity,
  'to-issuer': identity,
  'to-subject': identity,
});

function readOptions() {
  const text = { type: 'string', default: '' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({
      options: {
        ...{ 'from-issuer': text, 'from-subject': text, 'to-issuer': text, 'to-subject': text },
        ...{ list: text, 'dry-run': flag, help: flag },
      },
    });
    if (values.help || values.list !== '') {
      return { help: values.help, list: values.list, move: null };
    }
    const parsed = move.safeParse(values);
    if (!parsed.success) {
      const [problem] = parsed.error.issues;
      throw new Error(`--${problem?.path.join('.')} ${problem?.message}`);
    }
    const named = parsed.data;
    const from = { issuer: named['from-issuer'], subject: named['from-subject'] };
    const to = { issuer: named['to-issuer'], subject: named['to-subject'] };
    return { help: false, list: '', move: { from, to, isDryRun: values['dry-run'] } };
  } catch (error) {
    throw new ConfigurationError(`${error instanceof Error ? error.message : error}\n\n${help}`);
  }
}

async function main(db: Knex, options: ReturnType<typeof readOptions>): Promise<void> {
  await requireUsableDatabase(db, 'command');
  if (options.move === null) {
    for (const { name, id, issuer, subject } of await listUsersByAddress(db, options.list)) {
      const slugs = (await listWorkspacesOfUser(db, id)).map(({ slug }) => slug);
      console.log(`"${name}" (${id})\n  issuer ${issuer}\n  subject ${subject}`);
      console.log(`  workspaces ${slugs.join(', ') || 'none'}`);
    }
    return;
  }
  const { from, to, isDryRun } = options.move;
  const { user, workspaces } = await movePerson(db, from, to, isDryRun);
  const done = isDryRun ? 'would be moved; nothing was changed' : 'was moved, and signs in again';
  console.log(`"${user.name}" (${user.email}, ${user.id}) ${done}.`);
  console.log(`Workspaces: ${workspaces.join(', ') || 'none'}.`);
}

await runCommand(async () => {
  const options = readOptions();
  if (options.help) {
    console.log(help);
  } else {
    await onDatabase(databaseVariables, (db) => main(db, options));
  }
}, NotMovedError);
