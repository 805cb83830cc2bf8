/** Removes a closed workspace permanently (docs/operations.md, Closing a workspace). */
import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import * as z from 'zod';
import { beginRemoval, removeBatch } from '../commands/workspaces/remove.ts';
import { ConfigurationError } from '../config/parse.ts';
import { requireUsableDatabase } from '../store/usable-server.ts';
import {
  findClosedWorkspace,
  listClosedWorkspaces,
  listRemovedWorkspaces,
  removalBatch,
} from '../store/workspaces/removal.ts';
import { databaseVariables, onDatabase, runCommand } from './run-command.ts';

const help = `node dist/remove-workspace.js --list
node dist/remove-workspace.js --slug SLUG --name NAME --by WHO [--dry-run]

Removes a workspace that an admin closed, with its audit trail and all else: nobody gets it back. The installation keeps a record of it.
Rows go in batches; when it is interrupted, the same command goes on, or a worker does. It needs DATABASE_URL (or DATABASE_URL_FILE), and may
run beside the platform. It ends with 0 when the workspace was removed, else with 1.

  --list        prints the workspaces that are closed, and the records of those that were removed
  --slug        which one
  --name        its name, as a confirmation
  --by          who removes it, and why, for the record
  --dry-run     says which one would be removed, and changes nothing
  --help        prints this
`;

class NotRemovedError extends Error {}

const removal = z.object({
  slug: z.string().min(1, 'is required'),
  name: z.string().min(1, 'is required'),
  by: z.string().trim().min(1, 'is required').max(500),
});

function readOptions() {
  const text = { type: 'string', default: '' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({
      options: { ...{ slug: text, name: text, by: text }, ...{ list: flag, 'dry-run': flag, help: flag } },
    });
    if (values.help || values.list) {
      return { help: values.help, removal: null };
    }
    const parsed = removal.safeParse(values);
    if (!parsed.success) {
      const [problem] = parsed.error.issues;
      throw new Error(`--${problem?.path.join('.')} ${problem?.message}`);
    }
    return { help: false, removal: { ...parsed.data, isDryRun: values['dry-run'] } };
  } catch (error) {
    throw new ConfigurationError(`${error instanceof Error ? error.message : error}\n\n${help}`);
  }
}

async function list(db: Knex): Promise<void> {
  for (const { slug, name, reopenable_until } of await listClosedWorkspaces(db)) {
    console.log(`closed   ${slug} "${name}", can be reopened until ${reopenable_until}`);
  }
  for (const removed of await listRemovedWorkspaces(db)) {
    console.log(`removed  ${JSON.stringify(removed)}`);
  }
}

async function main(db: Knex, options: ReturnType<typeof readOptions>): Promise<void> {
  await requireUsableDatabase(db, 'command');
  if (options.removal === null) {
    await list(db);
    return;
  }
  const { slug, name, by, isDryRun } = options.removal;
  const workspace = await findClosedWorkspace(db, slug);
  if (workspace === null) {
    throw new NotRemovedError(`no closed workspace has the slug "${slug}": an admin of it closes it first`);
  }
  if (workspace.name !== name) {
    throw new NotRemovedError(`the workspace "${slug}" has another name`);
  }
  if (isDryRun) {
    console.log(`"${name}" (${slug}, ${workspace.id}) would be removed; nothing was changed.`);
    return;
  }
  const { id: workspaceId } = workspace;
  const begun = await beginRemoval(db, { workspaceId, by: `operator: ${by}`, isDue: false });
  if (begun !== 'begun') {
    throw new NotRemovedError('something in the workspace has not ended yet: try again in some minutes');
  }
  while (await removeBatch(db, { workspaceId, limit: removalBatch })) {
    // The next batch.
  }
  const record = (await listRemovedWorkspaces(db)).find(({ id }) => id === workspaceId);
  console.log(`"${name}" (${slug}, ${workspaceId}) was removed: ${JSON.stringify(record)}`);
}

await runCommand(async () => {
  const options = readOptions();
  if (options.help) {
    console.log(help);
  } else {
    await onDatabase(databaseVariables, (db) => main(db, options));
  }
}, NotRemovedError);
