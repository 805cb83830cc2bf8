/** Makes somebody an admin when nobody else can (docs/operations.md, Making an admin). */
import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import * as z from 'zod';
import { makeAdmin, NotMadeAdminError } from '../commands/members/make-admin.ts';
import { ConfigurationError } from '../config/parse.ts';
import { uuid } from '../contract/names.ts';
import { requireUsableDatabase } from '../store/usable-server.ts';
import { databaseVariables, onDatabase, runCommand } from './run-command.ts';

const help = `node dist/make-admin.js --workspace SLUG --person ID

Makes a person who has signed in before an admin of the workspace, whatever rules for groups say, and audits it. The membership is a
person's from then on: no rule ends it. move-person.js --list ADDRESS prints the ids of people.
It needs DATABASE_URL (or DATABASE_URL_FILE), and may run beside the platform. It ends with 0 when the person is an admin, else with 1.

  --workspace  the workspace's slug
  --person     the person's id
  --help       prints this
`;

const given = z.object({
  workspace: z.string().min(1, 'is required'),
  person: uuid,
});

function readOptions(): z.infer<typeof given> | null {
  const text = { type: 'string', default: '' } as const;
  try {
    const { values } = parseArgs({
      options: { workspace: text, person: text, help: { type: 'boolean', default: false } },
    });
    if (values.help) {
      return null;
    }
    const parsed = given.safeParse(values);
    if (!parsed.success) {
      const [problem] = parsed.error.issues;
      throw new Error(`--${problem?.path.join('.')} ${problem?.message}`);
    }
    return parsed.data;
  } catch (error) {
    throw new ConfigurationError(`${error instanceof Error ? error.message : error}\n\n${help}`);
  }
}

async function main(db: Knex, { workspace, person }: z.infer<typeof given>): Promise<void> {
  await requireUsableDatabase(db, 'command');
  const user = await makeAdmin(db, { slug: workspace, userId: person });
  console.log(`"${user.name}" (${user.email}, ${user.id}) is an admin of ${workspace}.`);
}

await runCommand(async () => {
  const options = readOptions();
  if (options === null) {
    console.log(help);
  } else {
    await onDatabase(databaseVariables, (db) => main(db, options));
  }
}, NotMadeAdminError);
