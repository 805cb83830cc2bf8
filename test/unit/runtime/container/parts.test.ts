import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readTar } from '../../../../lib/oci/tar/read-tar.ts';
import { archiveOf } from '../../../../runtime/container/boot-archive.ts';
import { coverImageVolumes } from '../../../../runtime/container/image-volumes.ts';
import { exited } from '../../../../runtime/container/inspect-session.ts';
import { joinFrames, tailOf } from '../../../../runtime/container/join-frames.ts';
import { renderContainers } from '../../../../runtime/container/render-containers.ts';
import { renderContainerWorkload } from '../../../../runtime/container-workload/render-container-workload.ts';
import { WorkloadFailedError } from '../../../../runtime/workload.ts';
import { configuration, sessionId } from '../../../support/frozen-configuration.ts';
import { checkAsyncProperty, checkProperty } from '../../../support/property.ts';
import { testContainerSettings } from '../../../support/random-configurations.ts';

describe('what a container wrote', () => {
  const frame = (stream: number, text: string) => {
    const header = Buffer.alloc(8);
    header[0] = stream;
    header.writeUInt32BE(Buffer.byteLength(text), 4);
    return Buffer.concat([header, Buffer.from(text)]);
  };

  it('is assembled from its frames, wherever they are cut off', () => {
    checkProperty(
      fc.property(fc.array(fc.string()), fc.nat(20), (texts, missing) => {
        const bytes = Buffer.concat(texts.map((text, index) => frame(1 + (index % 2), text)));
        expect(joinFrames(bytes).toString()).toBe(texts.join(''));
        const cut = joinFrames(bytes.subarray(0, Math.max(0, bytes.length - missing)));
        expect(Buffer.from(texts.join('')).indexOf(cut)).toBe(0);
      }),
    );
  });

  it('is truncated at its beginning, in whole characters', () => {
    checkProperty(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, tailBytes) => {
        const tail = tailOf(Buffer.from(text), tailBytes);
        expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(tailBytes);
        expect(text.endsWith(tail)).toBe(true);
      }),
    );
  });
});

describe('the archive with a boot file', () => {
  it('is one file with its content', () =>
    checkAsyncProperty(
      fc.asyncProperty(fc.string({ maxLength: 2000 }), async (content) => {
        const source = (async function* () {
          yield archiveOf('boot.json', content, 10_001);
        })();
        const found: [string, string][] = [];
        for await (const { path, read } of readTar(source)) {
          found.push([path, (await read()).toString()]);
        }
        expect(found).toEqual([['boot.json', content]]);
      }),
    ));

  it('makes it readable by its owner only', () => {
    const header = archiveOf('boot.json', '{}', 10_001).toString('latin1');
    expect(header.slice(100, 123)).toBe(['0000400', '0023421', '0023421'].join('\0'));
  });
});

describe('a container that has ended', () => {
  const ended = {
    status: 'exited',
    exitCode: 1,
    outOfMemory: false,
    memoryBytes: 1024 * 1024,
    addresses: {},
  };
  const holder = (state: string) => [{ name: 'net-agent', state }];

  it.each([
    ['used too much memory', { outOfMemory: true }, [], 'it used more than its 1 MiB of memory'],
    ['was killed', { exitCode: 137 }, [], 'it was killed; it may have used more than its 1 MiB of memory'],
    [
      'has no network policy',
      { exitCode: 70 },
      holder('exited'),
      'its network could not be closed off from private addresses',
    ],
    ['chose 70 itself', { exitCode: 70 }, holder('running'), undefined],
    ['ended in order', { exitCode: 0, outOfMemory: true }, [], undefined],
  ])('that %s says so', (_, changes, found, reason) => {
    expect(exited('agent', { ...ended, ...changes }, found)).toEqual({
      name: 'agent',
      state: 'exited',
      exitCode: 'exitCode' in changes ? changes.exitCode : 1,
      signal: null,
      ...(reason === undefined ? {} : { reason }),
    });
  });
});

describe('volumes that an image declares', () => {
  const settings = {
    installation: 'platform',
    platformNetwork: 'a',
    internetNetwork: 'b',
    dnsServers: [],
    temporaryBytes: 4096,
  };
  const workload = renderContainerWorkload(configuration(), { ...testContainerSettings, networks: 'own' });
  const [agent] = renderContainers(workload, settings).waves.flat();
  const cover = (paths: string[]) => {
    if (agent === undefined) {
      throw new Error('no agent');
    }
    const session = { installation: 'platform', sessionId };
    return coverImageVolumes(agent, paths, { session, sizeBytes: 4096 });
  };

  it('become scratch space in memory', () => {
    const { plan, volumes } = cover(['/data/', '/workspace']);
    expect(volumes).toMatchObject([{ options: { type: 'tmpfs', o: expect.stringContaining('uid=20000') } }]);
    const added = plan.body.HostConfig.Binds.filter((bind) => !agent?.body.HostConfig.Binds.includes(bind));
    expect(added).toEqual([`${volumes[0]?.name}:/data:rw,nocopy`]);
  });

  it('are mounted once each, and limited in number', () => {
    expect(cover(['/data', '/data/', '/data//']).volumes).toHaveLength(1);
    const many = Array.from({ length: 33 }, (_, index) => `/data/${index}`);
    expect(cover(many.slice(1)).volumes).toHaveLength(32);
    expect(() => cover(many)).toThrow(WorkloadFailedError);
  });

  it.each([
    '/run/platform/agent',
    '/run/platform/mcp/x',
    '/run',
    '/opt/platform',
    '/',
    'data',
    '/a:/etc:rw',
    '/a,b',
    '/a/../opt/platform/bin',
    '/data/..',
    '/./run/platform/mcp',
  ])('are refused at %s', (path) => {
    expect(() => cover([path])).toThrow(WorkloadFailedError);
  });
});
