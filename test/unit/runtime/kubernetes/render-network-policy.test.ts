import { BlockList, isIPv4 } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { FrozenConfiguration } from '../../../../contract/session.ts';
import { checkEgress } from '../../../../runtime/kubernetes/egress-rule.ts';
import type { NetworkPolicy } from '../../../../runtime/kubernetes/render-network-policy.ts';
import type { KubernetesSettings } from '../../../../runtime/kubernetes/settings.ts';
import { configuration, remoteNamed, serverNamed } from '../../../support/frozen-configuration.ts';
import { renderAll } from './rendering.ts';

const secrets = {
  agentEnv: {},
  serverEnv: {},
  siblingEnv: {},
  registryCredentials: {},
  sidecar: { internal_token: 't', control_key: 'k' },
};
const policyOf = (frozen: FrozenConfiguration, changes: Partial<KubernetesSettings> = {}): NetworkPolicy =>
  renderAll(frozen, secrets, changes).policy;

/** Whether an address may be connected to on a port, by blocks of addresses alone. */
function reaches({ spec }: NetworkPolicy, address: string, port: number): boolean {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  const inside = (range: string) => {
    const [base = '', bits] = range.split('/');
    const list = new BlockList();
    list.addSubnet(base, Number(bits), isIPv4(base) ? 'ipv4' : 'ipv6');
    return list.check(address, family);
  };
  return spec.egress.some(
    ({ to = [], ports }) =>
      (ports === undefined || ports.some((each) => each.port === port)) &&
      to.some(
        ({ ipBlock }) =>
          ipBlock !== undefined && inside(ipBlock.cidr) && !(ipBlock.except ?? []).some(inside),
      ),
  );
}

const privateAddresses = [
  '10.0.0.1',
  '172.16.5.4',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '127.0.0.1',
  '224.0.0.1',
  '192.0.0.192',
  'fd00:ec2::254',
  'fe80::1',
  '::1',
  '::ffff:10.0.0.1',
  '64:ff9b::a00:1',
  '2002:a00:1::',
];
const publicAddresses = ['1.1.1.1', '93.184.216.34', '2606:4700::1111'];

describe('the network policy of a session', () => {
  it('admits the worker alone, and to the control port only', () => {
    expect(policyOf(configuration()).spec.ingress).toEqual([
      {
        from: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'platform' } },
            podSelector: { matchLabels: { app: 'worker' } },
          },
        ],
        ports: [{ protocol: 'TCP', port: 7070 }],
      },
    ]);
  });

  it('allows DNS and the API only, if nothing needs the internet', () => {
    const policy = policyOf(configuration({ servers: [serverNamed('one')] }));
    for (const address of [...privateAddresses, ...publicAddresses]) {
      expect({ address, reached: reaches(policy, address, 443) }).toEqual({ address, reached: false });
    }
    expect(policy.spec.egress).toHaveLength(2);
    expect(policy.spec.egress[1]?.ports).toEqual([{ protocol: 'TCP', port: 8080 }]);
  });

  it('allows the internet without private, shared, link-local and metadata addresses when one container needs it', () => {
    const policy = policyOf(configuration({ servers: [serverNamed('one', { network: 'internet' })] }));
    for (const address of privateAddresses) {
      expect({ address, reached: reaches(policy, address, 443) }).toEqual({ address, reached: false });
    }
    for (const address of publicAddresses) {
      expect({ address, reached: reaches(policy, address, 443) }).toEqual({ address, reached: true });
    }
  });

  it('allows one port of the addresses of a host that the operator listed, over TCP', () => {
    const far = remoteNamed('far', { shape: { type: 'remote', url: 'https://mcp.internal:8443/mcp' } });
    const opened = [{ name: 'mcp.internal', addresses: ['10.1.2.3', 'fd00:1::5'], port: 8443 }];
    const { policy, pod } = renderAll(configuration({ servers: [far] }), secrets, {}, opened);
    const reached = [
      ['10.1.2.3', 8443],
      ['fd00:1::5', 8443],
    ] as const;
    const kept = [
      ['10.1.2.3', 443],
      ['10.1.2.4', 8443],
      ['fd00:1::6', 8443],
      ['169.254.169.254', 8443],
    ] as const;
    expect(reached.map(([address, port]) => reaches(policy, address, port))).toEqual([true, true]);
    expect(kept.filter(([address, port]) => reaches(policy, address, port))).toEqual([]);
    expect(policy.spec.egress.at(-1)?.ports).toEqual([{ protocol: 'TCP', port: 8443 }]);
    // What a resolver says later makes no difference.
    expect(pod.spec?.hostAliases).toEqual([
      { ip: '10.1.2.3', hostnames: ['mcp.internal'] },
      { ip: 'fd00:1::5', hostnames: ['mcp.internal'] },
    ]);
  });

  it('names each address once in the Pod, and none of a host that is an address', () => {
    const opened = [
      { name: 'a.internal', addresses: ['10.1.2.3'], port: 443 },
      { name: 'b.internal', addresses: ['10.1.2.3', '10.1.2.4'], port: 443 },
      { name: 'b.internal', addresses: ['10.1.2.3', '10.1.2.4'], port: 80 },
      { name: null, addresses: ['10.9.9.9'], port: 80 },
    ];
    expect(renderAll(configuration(), secrets, {}, opened).pod.spec?.hostAliases).toEqual([
      { ip: '10.1.2.3', hostnames: ['a.internal', 'b.internal'] },
      { ip: '10.1.2.4', hostnames: ['b.internal'] },
    ]);
    expect(renderAll(configuration(), secrets).pod.spec).not.toHaveProperty('hostAliases');
  });

  it('excludes the ranges that the operator denies', () => {
    const policy = policyOf(configuration({ agent: { network: 'internet' } }), {
      deniedRanges: ['93.184.216.0/24', '2606:4700::/32'],
    });
    expect(publicAddresses.map((address) => reaches(policy, address, 443))).toEqual([true, false, false]);
  });

  it('allows what an admin opened within the operator’s ranges, and refuses the rest with a sentence', () => {
    const allowing = (rule: string, network: 'none' | 'internet' = 'internet') =>
      configuration({ servers: [serverNamed('db', { network, egress_allow: [rule] })] });
    const policy = policyOf(allowing('10.1.2.0/24:5432'));
    expect(reaches(policy, '10.1.2.7', 5432)).toBe(true);
    expect(reaches(policy, '10.1.2.7', 80)).toBe(false);
    expect(reaches(policy, '10.1.3.7', 5432)).toBe(false);

    const check = (rule: string, network?: 'none' | 'internet') => () =>
      checkEgress(allowing(rule, network), ['10.1.0.0/16', 'fd00:1::/32']);
    expect(check('10.1.2.0/24:5432')).not.toThrow();
    expect(check('10.1.2.3:5432')).not.toThrow();
    expect(check('[fd00:1::5]:443')).not.toThrow();
    for (const outside of [
      '10.0.0.0/8:5432',
      '10.2.0.0/16:80',
      '169.254.169.254:80',
      '0.0.0.0/0:443',
      '[::/0]:443',
    ]) {
      expect(check(outside)).toThrow('outside the ranges');
    }
    for (const wrong of [
      'db.internal:5432',
      '10.1.2.0/33:80',
      '10.1.2.3:0',
      '10.1.2.3:70000',
      'fd00:1::5:443',
    ]) {
      expect(check(wrong)).toThrow('a destination is an address');
    }
    expect(check('10.1.2.3:5432', 'none')).toThrow('needs the network "internet"');
  });
});
