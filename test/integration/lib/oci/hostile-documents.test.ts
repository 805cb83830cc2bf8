/** Registry documents with few bytes but many values. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  descriptorOf,
  image,
  jsonBlob,
  startTestRegistry,
  type TestRegistry,
  tar,
} from '../../../support/images.ts';
import { bestRatio } from '../../../support/loop-hold.ts';
import { fileName, outcome } from './reading.ts';

const honest = image({ layers: [tar([{ path: fileName, content: 'text' }])] });
let registry: TestRegistry;
beforeAll(async () => {
  registry = await startTestRegistry();
  registry.push('team/server', '1', honest);
});
afterAll(() => registry.close());

describe('a document of millions of values', () => {
  const megabytes = 4 * 1024 * 1024 - 1024;
  const filled = (member: string, filler: string) =>
    `{"schemaVersion":2,"${member}":[${filler.repeat(Math.floor(megabytes / filler.length))}0]}`;

  /** Every answer holds this text. */
  const refused = (tag: string, sent: string, message: string) => {
    const path = `/v2/team/server/manifests/${tag}`;
    registry.serve(path, { mediaType: 'text/plain', bytes: Buffer.from(sent) });
    return async () => {
      const result = await outcome(registry.host, `team/server:${tag}`);
      expect(result).toEqual({ code: 'invalid_response', message: expect.stringContaining(message) });
    };
  };

  it.each([
    ['layers of a manifest', filled('layers', '{},')],
    [
      'layers within each other',
      `{"schemaVersion":2,"layers":${'['.repeat(megabytes / 2)}${']'.repeat(megabytes / 2)}}`,
    ],
    ['images of an index', filled('manifests', '{"mediaType":"x"},')],
    ['members', `{"schemaVersion":2,"config":{${'"":0,'.repeat(800_000)}"a":0}}`],
  ])('is refused before it is parsed, and does not block the process: %s', async (_what, text) => {
    const ratio = await bestRatio({
      subject: refused('odd', text, 'what the reference names holds more than 20000 JSON values'),
      // It reaches its schema, and costs as much as receiving and digesting four megabytes.
      control: refused('long', filled('layers', `"${'x'.repeat(megabytes - 100)}",`), 'config'),
      below: 3,
      leastControlMs: 15,
      rounds: 20,
    });
    expect(ratio).toBeLessThan(3);
  });

  it('is refused as a configuration as well', async () => {
    const configuration = { history: Array.from({ length: 30_000 }, () => ({})) };
    registry.push('team/server', 'odd', image({ configuration }));
    expect(await outcome(registry.host, 'team/server:odd')).toEqual({
      code: 'invalid_response',
      message: 'the configuration of the image holds more than 20000 JSON values',
    });
  });

  it('an index of a thousand images with all optional fields is read', async () => {
    const annotations = { 'vnd.docker.reference.type': 'x', 'vnd.docker.reference.digest': honest.digest };
    const platform = { os: 'linux', architecture: 's390x', variant: 'v1', 'os.version': '1' };
    const others = Array.from({ length: 999 }, () => ({
      ...descriptorOf(honest.manifest),
      platform,
      annotations,
    }));
    const amd64 = { ...descriptorOf(honest.manifest), platform: { os: 'linux', architecture: 'amd64' } };
    const value = { schemaVersion: 2, manifests: [...others, amd64] };
    registry.serve(
      '/v2/team/server/manifests/wide',
      jsonBlob('application/vnd.oci.image.index.v1+json', value),
    );
    expect(await outcome(registry.host, 'team/server:wide')).toBe('text');
  });
});
