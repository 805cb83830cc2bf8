/**
 * Image references as people type them: `[registry/]name[:tag][@digest]`, with Docker Hub's defaults. Pure.
 */
import { ImageError } from './errors.ts';

export interface ImageReference {
  /** `host` or `host:port`, in lower case; Docker Hub is `docker.io`. */
  registry: string;
  repository: string;
  /** `latest` when neither tag nor digest was given. */
  tag: string | null;
  /** `sha256:...`; when present, the tag is ignored. */
  digest: string | null;
}

const dockerHub = 'docker.io';
const maxRepositoryLength = 255;
const hostPart = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const registryPattern = new RegExp(`^${hostPart}(?:\\.${hostPart})*(?::([0-9]{1,5}))?$`);
const pathPart = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const repositoryPattern = new RegExp(`^${pathPart}(?:/${pathPart})*$`);
const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** Throws ImageError `invalid_reference` that says which part is wrong. */
export function parseReference(text: string): ImageReference {
  const { rest: named, after: digest } = cut(text, text.indexOf('@'));
  // A colon before the last slash belongs to the registry's port.
  const colon = named.lastIndexOf(':');
  const { rest: name, after: tag } = cut(named, colon > named.lastIndexOf('/') ? colon : -1);
  const { registry, repository } = splitName(name);
  refuseUnless(
    digest === null || digestPattern.test(digest),
    text,
    'the digest after @ must be sha256: and 64 lowercase hexadecimal digits',
  );
  refuseUnless(
    tag === null || tagPattern.test(tag),
    text,
    'the tag after : must be 1 to 128 letters, digits, underscores, dots or hyphens, not starting with a dot or hyphen',
  );
  const [, port] = registryPattern.exec(registry) ?? [];
  refuseUnless(
    registryPattern.test(registry) && (port === undefined || (Number(port) > 0 && Number(port) < 65536)),
    text,
    `"${registry}" is not a registry's host name, with or without a port`,
  );
  refuseUnless(
    repositoryPattern.test(repository) && repository.length <= maxRepositoryLength,
    text,
    `"${repository}" is not a repository's name: lowercase letters and digits, with single separators, at most ${maxRepositoryLength} characters`,
  );
  return { registry, repository, tag: tag ?? (digest === null ? 'latest' : null), digest };
}

/** The canonical form, as shown and compared: `docker.io/library/node:22`. */
export function formatReference({ registry, repository, tag, digest }: ImageReference): string {
  return `${registry}/${repository}${tag === null ? '' : `:${tag}`}${digest === null ? '' : `@${digest}`}`;
}

/**
 * The one image that `digest` names, in the repository of a reference. Throws ImageError `invalid_reference`.
 */
export function pinReference(text: string, digest: string): string {
  return formatReference({ ...parseReference(text), tag: null, digest });
}

function cut(text: string, at: number): { rest: string; after: string | null } {
  return at < 0 ? { rest: text, after: null } : { rest: text.slice(0, at), after: text.slice(at + 1) };
}

/**
 * The first part is a registry when it cannot be part of a Docker Hub name, the rule
 * of every container engine.
 */
function splitName(name: string): { registry: string; repository: string } {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  if (slash < 0 || !(/[.:A-Z]/.test(first) || first === 'localhost')) {
    return { registry: dockerHub, repository: name.includes('/') ? name : `library/${name}` };
  }
  const repository = name.slice(slash + 1);
  const registry = first.toLowerCase();
  if (registry !== dockerHub && registry !== 'index.docker.io') {
    return { registry, repository };
  }
  return { registry: dockerHub, repository: repository.includes('/') ? repository : `library/${repository}` };
}

function refuseUnless(condition: boolean, text: string, reason: string): void {
  if (!condition) {
    throw new ImageError('invalid_reference', `"${text}" is not an image reference: ${reason}`);
  }
}
