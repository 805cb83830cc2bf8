/**
 * Which registries to use: the operator's setting, else the defaults of this machine's own package managers.
 */
import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { promisify } from 'node:util';
import { baseUrl, npmCredential, pypiCredential, type Registries } from './registries.ts';

export interface RegistrySettings {
  npmRegistryUrl: string | null;
  pypiIndexUrl: string | null;
  /** A token, or `user:password`. */
  npmRegistryToken: string | null;
  pypiIndexToken: string | null;
  /** Hosts, or `host:port`, that files of packages may come from beside the registries' own. */
  fileHosts: readonly string[];
}

const run = promisify(execFile);
const timeoutMs = 10_000;

/** The program on this machine; null where there is none. */
export async function findUv(): Promise<string | null> {
  const path = await said('sh', ['-c', 'command -v uv']);
  return path?.startsWith('/') ? realpathSync(path) : null;
}

/** A token belongs to a registry that the operator named, and goes to no other. */
export async function knownRegistries(settings: RegistrySettings, uv: string | null): Promise<Registries> {
  const { npmRegistryUrl, pypiIndexUrl, npmRegistryToken, pypiIndexToken } = settings;
  const npm = npmRegistryUrl ?? (await npmDefault());
  const pypi = pypiIndexUrl ?? (uv === null ? null : await uvDefault(uv));
  const npmToken = npmRegistryUrl === null ? null : npmRegistryToken;
  const pypiToken = pypiIndexUrl === null ? null : pypiIndexToken;
  const { fileHosts } = settings;
  return {
    npm:
      npm === null
        ? null
        : { url: baseUrl(npm), credential: npmToken === null ? null : npmCredential(npmToken), fileHosts },
    uv:
      pypi === null
        ? null
        : {
            url: baseUrl(pypi),
            credential: pypiToken === null ? null : pypiCredential(pypiToken),
            fileHosts: [...fileHosts, ...(baseUrl(pypi).host === 'pypi.org' ? [filesOfPypi] : [])],
          },
  };
}

/** The public index keeps no file at its own host. */
const filesOfPypi = 'files.pythonhosted.org';

const npmDefault = async () => usable(await said('npm', ['config', 'get', 'registry']));

/** uv prints it only in its help. */
const uvDefault = async (uv: string) =>
  usable(/by default: <([^>]+)>/.exec((await said(uv, ['help', 'tool', 'install'])) ?? '')?.[1] ?? null);

/** Rejects URLs with a user name: they were not meant for this. */
function usable(url: string | null): string | null {
  const parsed = url !== null && URL.canParse(url) ? new URL(url) : null;
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === '' ? parsed.href : null;
}

/** The worker's environment holds its keys: programs get only the part they need. */
const bareEnvironment = 'exec env -i PATH="$PATH" HOME="$HOME" "$@"';

/** Null when there is no such program, or it fails. */
async function said(program: string, args: string[]): Promise<string | null> {
  try {
    const command = ['-c', bareEnvironment, 'sh', program, ...args];
    const { stdout } = await run('sh', command, { cwd: '/', timeout: timeoutMs });
    return stdout.trim();
  } catch {
    return null;
  }
}
