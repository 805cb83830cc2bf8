import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { isRange, rangeContains } from '../../../config/address-range.ts';
import { kubernetesFields } from '../../../config/kubernetes.ts';
import { parseEnvironment } from '../../../config/parse.ts';

const parse = (environment: Record<string, string>) =>
  parseEnvironment(z.object(kubernetesFields), environment);

describe('the settings of the Kubernetes runtime', () => {
  it('need nothing if the chart installed the platform', () => {
    expect(parse({})).toMatchObject({
      KUBERNETES_NAMESPACE: 'gatepost-sessions',
      SECRET_DELIVERY: 'reference',
      KUBERNETES_API_PEER: {
        namespace: 'gatepost',
        labels: { 'app.kubernetes.io/name': 'gatepost', 'app.kubernetes.io/component': 'api' },
      },
      KUBERNETES_EGRESS_RANGES: [],
    });
  });

  it('take peers as ranges or as Pods, and labels of nodes', () => {
    expect(
      parse({
        KUBERNETES_API_PEER: 'cidr:10.0.0.5/32',
        KUBERNETES_WORKER_PEER: 'pods:platform/app=worker,tier=1',
        KUBERNETES_NODE_SELECTOR: 'pool=sessions,example.com/disk=ssd',
        KUBERNETES_DENIED_RANGES: '203.0.113.0/24, 2001:db8::/32',
      }),
    ).toMatchObject({
      KUBERNETES_API_PEER: { cidr: '10.0.0.5/32' },
      KUBERNETES_WORKER_PEER: { namespace: 'platform', labels: { app: 'worker', tier: '1' } },
      KUBERNETES_NODE_SELECTOR: { pool: 'sessions', 'example.com/disk': 'ssd' },
      KUBERNETES_DENIED_RANGES: ['203.0.113.0/24', '2001:db8::/32'],
    });
  });

  it('take tolerations as a Pod has them', () => {
    const list = [
      { key: 'pool', operator: 'Equal', value: 'sessions', effect: 'NoSchedule' },
      { key: 'example.com/spot', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 },
      { operator: 'Exists' },
      { key: 'pool' },
    ];
    expect(parse({ KUBERNETES_TOLERATIONS: JSON.stringify(list) }).KUBERNETES_TOLERATIONS).toEqual(list);
    expect(parse({}).KUBERNETES_TOLERATIONS).toEqual([]);
  });

  it.each([
    'pool',
    '{}',
    '[{}]',
    '["pool"]',
    '[{"key":"a b"}]',
    '[{"key":"a","value":"b c"}]',
    '[{"key":"a","effect":"noSchedule"}]',
    '[{"key":"a","operator":"Exists","value":"b"}]',
    '[{"key":"","operator":"Equal"}]',
    '[{"key":"a","tolerationSeconds":5}]',
    '[{"key":"a","effect":"NoExecute","tolerationSeconds":-1}]',
    '[{"key":"a","seconds":1}]',
  ])('refuse the tolerations %s, which a cluster would refuse with each Pod', (text) => {
    expect(() => parse({ KUBERNETES_TOLERATIONS: text })).toThrow(
      'KUBERNETES_TOLERATIONS: must be a JSON list of tolerations such as [{"key":"pool"',
    );
  });

  it('take names of Secrets to pull images with, each once', () => {
    const pullSecrets = (text: string) =>
      parse({ KUBERNETES_IMAGE_PULL_SECRETS: text }).KUBERNETES_IMAGE_PULL_SECRETS;
    expect(parse({}).KUBERNETES_IMAGE_PULL_SECRETS).toEqual([]);
    expect(pullSecrets('registry, mirror.internal,registry,')).toEqual(['registry', 'mirror.internal']);
  });

  it.each([
    ['KUBERNETES_IMAGE_PULL_SECRETS', 'Registry'],
    ['KUBERNETES_IMAGE_PULL_SECRETS', 'registry mirror'],
    ['KUBERNETES_IMAGE_PULL_SECRETS', 'registry,-mirror'],
    ['KUBERNETES_IMAGE_PULL_SECRETS', 'a'.repeat(254)],
    ['KUBERNETES_API_PEER', 'api'],
    ['KUBERNETES_API_PEER', 'cidr:10.0.0.5'],
    ['KUBERNETES_API_PEER', 'pods:app=api'],
    ['KUBERNETES_WORKER_PEER', 'pods:platform/'],
    ['KUBERNETES_WORKER_PEER', 'pods:platform/app'],
    ['KUBERNETES_NODE_SELECTOR', 'pool'],
    ['KUBERNETES_EGRESS_RANGES', '10.0.0.0/8,db.internal'],
    ['KUBERNETES_NAMESPACE', 'Sessions'],
  ])('refuse %s=%s and name the variable', (name, value) => {
    expect(() => parse({ [name]: value })).toThrow(name);
  });
});

describe('ranges of addresses', () => {
  it('are an address and a number of bits', () => {
    expect(['10.0.0.0/8', '0.0.0.0/0', '::/0', 'fd00::1/128'].map(isRange)).toEqual([true, true, true, true]);
    expect(
      ['10.0.0.0', '10.0.0.0/33', '010.0.0.0/8', '10.0.0/8', '::/129', 'a/8', '10.0.0.0/08'].map(isRange),
    ).toEqual(Array(7).fill(false));
  });

  it('contain smaller ones of the same family', () => {
    expect(rangeContains('10.0.0.0/8', '10.200.0.0/16')).toBe(true);
    expect(rangeContains('10.0.0.0/8', '10.0.0.0/8')).toBe(true);
    expect(rangeContains('10.0.0.0/16', '10.0.0.0/8')).toBe(false);
    expect(rangeContains('10.0.0.0/16', '10.1.0.0/24')).toBe(false);
    expect(rangeContains('0.0.0.0/0', '::/0')).toBe(false);
    expect(rangeContains('2000::/3', '2606:4700::/32')).toBe(true);
  });
});
