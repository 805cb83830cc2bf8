/** Repositories: an admin registers where they are, an agent names one (docs/repositories.md). */
import * as z from 'zod';
import { entryName, secretReference, timestamp, uuid } from './names.ts';

/** A host name: its last part begins with a letter, as of no address. With a port where it is not 443. */
const host = z
  .string()
  .max(255)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?(?::[1-9][0-9]{0,4})?$/,
    'must be a host name in lower case, such as git.example.com, without a scheme or a user',
  )
  .refine(isHostOfUrl, 'must be a host name that URLs may have, with a port up to 65535 other than 443');

/** As names are looked up and URLs are parsed, so that what is saved can be used. */
function isHostOfUrl(host: string): boolean {
  const [name = ''] = host.split(':');
  const fits = name.length <= 253 && name.split('.').every((label) => label.length <= 63);
  return fits && URL.canParse(`https://${host}/`) && new URL(`https://${host}/`).host === host;
}

const segment = '[A-Za-z0-9_~-][A-Za-z0-9._~-]*';

/** Below the host, without a slash at either end. Nothing in it has another spelling. */
export const repositoryPath = z
  .string()
  .max(500)
  .regex(
    new RegExp(`^${segment}(?:/${segment})*$`),
    'must be names between slashes, such as team/project, of letters, digits and . _ ~ -',
  );

/** `*` stands for one name between slashes. */
export const repositoryPattern = z
  .string()
  .max(500)
  .regex(
    new RegExp(`^(?:\\*|${segment})(?:/(?:\\*|${segment}))*$`),
    'must be names between slashes, such as team/project, or * in the place of one',
  );

/** A branch, a tag, a full name such as `refs/heads/main`, or a whole commit id. */
export const repositoryRef = z
  .string()
  .max(250)
  .regex(
    /^(?!-)(?!.*(?:\.\.|\/\/|\/\.|\.lock$|\.$|\/$))[A-Za-z0-9_][A-Za-z0-9._/-]*$/,
    'must be the name of a branch or tag, or a commit id',
  );

export const repositoryInput = z.strictObject({
  name: entryName,
  host,
  path: repositoryPattern,
  /** A token, or `user:password`, that the host takes; null for what everybody may read there. */
  credential: secretReference.nullable().default(null),
});
export type RepositoryInput = z.infer<typeof repositoryInput>;

export const repository = z.strictObject({
  id: uuid,
  workspace_id: uuid,
  name: entryName,
  host: z.string(),
  path: z.string(),
  credential: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
  updated_by: uuid.nullable(),
});
export type Repository = z.infer<typeof repository>;

/** Of an agent: which registered repository its sessions get. */
export const agentRepository = z.strictObject({
  name: entryName,
  /** Null: the registered path, where that has no `*`. */
  path: repositoryPath.nullable().default(null),
  ref: repositoryRef,
});
export type AgentRepository = z.infer<typeof agentRepository>;

/** Where an agent's sessions find it. */
export const repositoryDirectory = '/workspace/repository';

export const noSuchRepository = (name: string) =>
  `names the repository "${name}", which this workspace does not have; an admin has to register it`;

/**
 * Where the repository is that an agent names, by the entry that an admin registered; else why it cannot have
 * it, as a sentence about the field.
 */
export function repositoryUrl(
  { path, name }: Pick<AgentRepository, 'name' | 'path'>,
  entry: Pick<Repository, 'host' | 'path'> | null,
): { url: string } | { problem: string } {
  if (entry === null) {
    return { problem: noSuchRepository(name) };
  }
  const wanted = path ?? entry.path;
  if (path === null && entry.path.includes('*')) {
    return { problem: `needs a path: the repository "${name}" is registered as ${entry.path}` };
  }
  return matches(wanted, entry.path)
    ? { url: `https://${entry.host}/${wanted}` }
    : { problem: `has a path that the repository "${name}" is not registered for, which is ${entry.path}` };
}

/** Names of the machine that looks them up, whatever a name server says. */
const ownNames = /^(?:.*\.)?localhost$/;

/**
 * Why nothing is fetched from a host, as a sentence about the field; null where its name does not say so. No
 * name is looked up: a private address is found out at the fetch. `listed`: hosts that may have one.
 */
export const hostProblem = (host: string, listed: ReadonlyMap<string, unknown>): string | null =>
  ownNames.test(host.split(':')[0] ?? '') && !listed.has(host)
    ? `leads to ${host}, the machine that runs sessions; an operator has to list it in PRIVATE_REPOSITORY_HOSTS`
    : null;

function matches(path: string, pattern: string): boolean {
  const [names, patterns] = [path.split('/'), pattern.split('/')];
  return (
    repositoryPath.safeParse(path).success &&
    names.length === patterns.length &&
    patterns.every((each, at) => each === '*' || each === names[at])
  );
}
