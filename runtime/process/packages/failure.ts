/** Pure: why packages could not be loaded, from what the way out saw and what the package manager wrote. */
import { saysPackageNotFound } from '../../../contract/package-managers.ts';
import type { EgressSeen } from './egress.ts';
import { PackagesError } from './errors.ts';

interface Facts {
  seen: EgressSeen;
  /** The end of what the package manager wrote, without a credential. */
  written: string;
  /** Of the registry that was asked. */
  registryHost: string;
}

interface Kind {
  pattern: RegExp;
  shownAs: PackagesError['shownAs'];
  sentence(facts: Facts): string;
}

/** What npm and uv write, as their versions of the last years do; the first match counts. */
const kinds: readonly Kind[] = [
  {
    pattern: /\bENOSPC\b|No space left on device|\bos error 28\b/i,
    shownAs: 'packages_not_loaded',
    sentence: () => 'there is no room for the packages: they are larger than PACKAGE_MAX_BYTES allows',
  },
  {
    pattern: /\bEINTEGRITY\b|Hash mismatch/i,
    shownAs: 'packages_not_loaded',
    sentence: ({ registryHost }) =>
      `a file of the packages is not the one that the package registry ${registryHost} describes: its digest differs`,
  },
  {
    pattern: /\bEALLOWREMOTE\b/,
    shownAs: 'packages_not_loaded',
    sentence: ({ registryHost }) =>
      `a package, or one that it depends on, is at an address outside the package registry ${registryHost}; where that keeps its files at another host, PACKAGE_FILE_HOSTS has to name it`,
  },
  {
    pattern:
      /\bEALLOW(?:GIT|FILE|DIRECTORY)\b|URL dependencies must be expressed|Git operation failed|error: spawn \/bin\/false|An unknown git error occurred/i,
    shownAs: 'packages_not_loaded',
    sentence: () =>
      'a package depends on a repository, an address or a path; only packages of the registry are loaded',
  },
  {
    pattern:
      /no (?:usable )?wheels|has no wheels|building source distributions is disabled|only source distribution/i,
    shownAs: 'packages_not_loaded',
    sentence: () =>
      'a package has no wheel for this machine, and packages are not built here; run such a server from an image',
  },
  {
    pattern: /\bcode E40[13]\b|\b40[13] (?:Unauthorized|Forbidden)\b/i,
    shownAs: 'registry_unreachable',
    sentence: ({ registryHost }) =>
      `the package registry ${registryHost} gives the platform no access; see NPM_REGISTRY_TOKEN and PYPI_INDEX_TOKEN`,
  },
];

/** Without a pattern of its own. */
const networkCode =
  /\b(E(?:CONNRESET|CONNREFUSED|CONNABORTED|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE)|ERR_SOCKET_TIMEOUT|E5\d\d|(?:SELF_SIGNED|UNABLE_TO|CERT|DEPTH_ZERO)_[A-Z_]+)\b|\b(5\d\d) [A-Z][a-z]+ [A-Z]|(error sending request|connection closed|UnknownIssuer|invalid peer certificate)/;

const npmCode = /\bnpm (?:error|ERR!) code [A-Z]/;

/** The package manager gave up. */
export function failureOf(facts: Facts): PackagesError {
  const { seen, written, registryHost } = facts;
  if (seen.refused !== null) {
    const message = `a package names a file at ${seen.refused}, which is neither the registry nor a host of PACKAGE_FILE_HOSTS`;
    return new PackagesError(message, { shownAs: 'packages_not_loaded', written });
  }
  const text = written.replaceAll(/\s+/g, ' ');
  // It may say both of a package that it may not see.
  const kind = kinds.find(({ pattern }) => pattern.test(text));
  if (kind !== undefined) {
    return new PackagesError(kind.sentence(facts), { shownAs: kind.shownAs, written });
  }
  if (saysPackageNotFound(written)) {
    const message = `the package registry ${registryHost} has no such package, or not that version`;
    return new PackagesError(message, { shownAs: 'package_not_found', written });
  }
  const code = networkCode.exec(text);
  // A connection may have broken off, and been tried again, before npm failed for a reason of its own.
  const isOther = code === null && npmCode.test(text);
  const why = isOther ? null : (seen.broken?.why ?? code?.[1] ?? code?.[2] ?? code?.[3] ?? null);
  if (why !== null) {
    const host = seen.broken?.host ?? registryHost;
    const message = `the package registry's host ${host} gave no whole answer (${why})`;
    return new PackagesError(message, { shownAs: 'registry_unreachable', written });
  }
  return new PackagesError('the package manager could not load the packages', { written });
}

/** They were not there in time. */
export function lateness({ receivedBytes, lastByteAtMs, broken }: EgressSeen, nowMs: number): PackagesError {
  const received =
    lastByteAtMs === null
      ? 'nothing came from the registry'
      : `${receivedBytes} bytes came, the last ${Math.round((nowMs - lastByteAtMs) / 1000)} s before`;
  const why = broken === null ? '' : `; ${broken.host} failed before (${broken.why})`;
  return new PackagesError(`they were not there in time (PACKAGE_LOAD_SECONDS): ${received}${why}`, {
    shownAs: lastByteAtMs === null ? 'registry_unreachable' : 'packages_not_loaded',
  });
}
