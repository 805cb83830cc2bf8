import { describe, expect, it } from '@jest/globals';
import type { EgressSeen } from '../../../../../runtime/process/packages/egress.ts';
import { failureOf, lateness } from '../../../../../runtime/process/packages/failure.ts';

const nothing: EgressSeen = { receivedBytes: 0, lastByteAtMs: null, refused: null, broken: null };
const reset = { host: 'registry.example', why: 'ECONNRESET' };
const fail = (written: string, seen: Partial<EgressSeen> = {}) =>
  failureOf({ written, seen: { ...nothing, ...seen }, registryHost: 'registry.example' });

describe('why packages could not be loaded', () => {
  it.each([
    ['npm error code E404', {}, 'package_not_found', /registry.example has no such package/],
    ['npm error code ETARGET', {}, 'package_not_found', /not that version/],
    ['npm error code E401', {}, 'registry_unreachable', /NPM_REGISTRY_TOKEN/],
    [
      'was not found in the package registry\nhint: lack of valid credentials (401 Unauthorized)',
      {},
      'registry_unreachable',
      /PYPI_INDEX_TOKEN/,
    ],
    ['npm error code EINTEGRITY', {}, 'packages_not_loaded', /digest differs/],
    ['Hash mismatch for `x==1`', {}, 'packages_not_loaded', /digest differs/],
    ['npm error code ENOSPC', {}, 'packages_not_loaded', /PACKAGE_MAX_BYTES/],
    ['No space left on device (os error 28)', {}, 'packages_not_loaded', /PACKAGE_MAX_BYTES/],
    ['npm error code EALLOWGIT', {}, 'packages_not_loaded', /repository/],
    ['npm error code EALLOWREMOTE', {}, 'packages_not_loaded', /PACKAGE_FILE_HOSTS/],
    ['URL dependencies must be\n      expressed as direct', {}, 'packages_not_loaded', /repository/],
    ['x==1.0.0 has no usable\n      wheels', {}, 'packages_not_loaded', /no wheel/],
    ['npm error code E502', { broken: reset }, 'registry_unreachable', /ECONNRESET/],
    ['npm error code ECONNRESET', {}, 'registry_unreachable', /registry.example .*ECONNRESET/],
    ['npm error 502 Bad Gateway - GET', {}, 'registry_unreachable', /502/],
    ['npm error code SELF_SIGNED_CERT_IN_CHAIN', {}, 'registry_unreachable', /SELF_SIGNED_CERT_IN_CHAIN/],
    [
      'npm error code E403 npm error code E404',
      { refused: 'other.example:443' },
      'packages_not_loaded',
      /other.example:443.*PACKAGE_FILE_HOSTS/,
    ],
    // The connection broke once, and what followed was something else.
    ['npm error code E404', { broken: reset }, 'package_not_found', /no such package/],
    ['npm error code ERESOLVE', { broken: reset }, 'packages_not_loaded', /could not load/],
    ['something new', {}, 'packages_not_loaded', /could not load/],
  ] as const)('of %s is told with its cause', (written, seen, shownAs, sentence) => {
    const { shownAs: cause, message, written: kept } = fail(written, seen);
    expect({ cause, message, kept }).toEqual({
      cause: shownAs,
      message: expect.stringMatching(sentence),
      kept: written,
    });
  });

  it('is that of the time, with what had come by then', () => {
    const { message, shownAs } = lateness({ ...nothing, receivedBytes: 7, lastByteAtMs: 1000 }, 4000);
    expect(message).toBe(
      'they were not there in time (PACKAGE_LOAD_SECONDS): 7 bytes came, the last 3 s before',
    );
    expect(shownAs).toBe('packages_not_loaded');
    expect(lateness({ ...nothing, broken: reset }, 4000)).toMatchObject({
      message:
        'they were not there in time (PACKAGE_LOAD_SECONDS): nothing came from the registry; registry.example failed before (ECONNRESET)',
      shownAs: 'registry_unreachable',
    });
  });
});
