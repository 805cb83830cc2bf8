import { expect, it } from '@jest/globals';
import { sidecarBoot } from '../../../contract/sidecar.ts';
import { renderBoot, sessionDescription, sidecarLimits } from '../../../runtime/render-boot.ts';
import { configuration, serverNamed } from '../../support/frozen-configuration.ts';
import { limitsWith } from '../../support/limits.ts';
import { roomySidecarLimits } from '../../support/sidecar-limits.ts';

it('tells the sidecar which version of each entry the session froze, for the digests of its calls', () => {
  const servers = [serverNamed('files', { entry_version: 7 }), serverNamed('mail')];
  const boot = sidecarBoot.shape.servers.parse(sessionDescription(configuration({ servers })).servers);
  expect(boot).toMatchObject([
    { name: 'files', entry_version: 7, tool_scopes: { write_file: 'files.write' } },
    { name: 'mail', entry_version: 1 },
  ]);
});

it.each([true, false])('tells the sidecar whether a person drives the session: %s', (has_operator) => {
  const described = sessionDescription(configuration({ has_operator }));
  const places = { session_directory: '/s', agent_config: null, control_host: '127.0.0.1', control_port: 0 };
  const settings = {
    apiUrl: 'http://127.0.0.1:1',
    auditSync: 'within-100-ms' as const,
    sidecarLimits: roomySidecarLimits,
  };
  const boot = renderBoot(described, settings, places);
  const keyed = { ...boot, internal_token: 'token', control_key: 'key' };
  expect(sidecarBoot.parse(keyed).has_operator).toBe(has_operator);
});

it('limits the sidecar by the operator’s settings, each rate by the one of its name', () => {
  const given = limitsWith({
    RATE_SESSION_CALLS_PER_MINUTE: '601',
    RATE_SESSION_EVENTS_PER_MINUTE: '602',
    RATE_SESSION_PERMISSION_REQUESTS_PER_MINUTE: '603',
    RATE_SESSION_ARTIFACTS_PER_MINUTE: '604',
    RATE_SESSION_PLATFORM_TOOL_CALLS_PER_MINUTE: '605',
    RATE_SESSION_BYTES_PER_MINUTE: '1000',
    LIMIT_SESSION_CALLS: '606',
  });
  const limits = sidecarBoot.shape.limits.parse(sidecarLimits(given));
  expect(limits).toMatchObject({
    calls_per_minute: 601,
    events_per_minute: 602,
    permission_requests_per_minute: 603,
    artifacts_per_minute: 604,
    platform_tool_calls_per_minute: 605,
    sent_bytes_per_minute: 500,
    calls_per_session: 606,
  });
  expect(() => sidecarLimits({ ...given, RATE_SESSION_EVENTS_PER_MINUTE: Number.NaN })).toThrow();
});
