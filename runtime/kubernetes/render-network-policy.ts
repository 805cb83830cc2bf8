/**
 * Pure: who a session's Pod may reach, and who may reach it. A Pod has one network, so this is the wider of
 * what its containers need; the relay in front of each program narrows it to none where that was configured.
 */
import { isIPv4 } from 'node:net';
import type {
  V1NetworkPolicyEgressRule,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
  V1ObjectMeta,
} from '@kubernetes/client-node';
import { rangeContains } from '../../config/address-range.ts';
import type { Peer } from '../../config/kubernetes.ts';
import { globalIpv6, specialIpv4Ranges } from '../../lib/outbound/special-ranges.ts';
import type { ContainerWorkload } from '../container-workload/container-workload.ts';
import type { OpenedHost } from '../open-private-host.ts';
import { parseEgressRule } from './egress-rule.ts';
import { labelKeys, networkPolicyName } from './names.ts';
import { type PodIdentity, renderMetadata } from './render-secrets.ts';
import type { NetworkSettings } from './settings.ts';

/** The wire format: the library's own type has another name for `from`. */
export interface NetworkPolicy {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'NetworkPolicy';
  metadata: V1ObjectMeta;
  spec: {
    podSelector: { matchLabels: Record<string, string> };
    policyTypes: ['Ingress', 'Egress'];
    ingress: { from: V1NetworkPolicyPeer[]; ports: V1NetworkPolicyPort[] }[];
    egress: V1NetworkPolicyEgressRule[];
  };
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

export function renderNetworkPolicy(
  workload: ContainerWorkload,
  settings: NetworkSettings & { namespace: string; installation: string },
  pod: PodIdentity,
  opened: readonly OpenedHost[] = [],
): NetworkPolicy {
  const { sessionId, boot } = workload;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: renderMetadata(networkPolicyName(sessionId, pod.launch), workload, settings, pod),
    spec: {
      podSelector: { matchLabels: { [labelKeys.session]: sessionId } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: callersOf(workload, settings).map(renderPeer), ports: [tcp(boot.control_port)] }],
      egress: [...renderEgress(workload, settings), ...opened.map(renderOpened)],
    },
  };
}

/** The API asks a service for its visitors. */
const callersOf = ({ boot }: ContainerWorkload, { workerPeer, apiPeer }: NetworkSettings): Peer[] =>
  boot.service === undefined ? [workerPeer] : [workerPeer, apiPeer];

function renderEgress(
  { boot, network, egressAllow }: ContainerWorkload,
  { apiPeer, dnsPeer, deniedRanges }: NetworkSettings,
): V1NetworkPolicyEgressRule[] {
  const { port, protocol } = new URL(boot.api_url);
  const apiPort = port === '' ? (defaultPorts[protocol] ?? 443) : Number(port);
  return [
    { to: [renderPeer(dnsPeer)], ports: [{ protocol: 'UDP', port: 53 }, tcp(53)] },
    { to: [renderPeer(apiPeer)], ports: [tcp(apiPort)] },
    ...(network === 'internet' ? [{ to: internet(deniedRanges) }] : []),
    ...egressAllow.map(parseEgressRule).map(({ cidr, port }) => ({
      to: [{ ipBlock: { cidr } }],
      ports: [tcp(port), { protocol: 'UDP', port }],
    })),
  ];
}

/** One port of the addresses that a listed host has, over TCP. */
const renderOpened = ({ addresses, port }: OpenedHost): V1NetworkPolicyEgressRule => ({
  to: addresses.map((address) => ({ ipBlock: { cidr: `${address}/${isIPv4(address) ? 32 : 128}` } })),
  ports: [tcp(port)],
});

function internet(deniedRanges: readonly string[]): V1NetworkPolicyPeer[] {
  const block = (cidr: string, special: readonly string[]): V1NetworkPolicyPeer => ({
    ipBlock: { cidr, except: [...special, ...deniedRanges.filter((range) => rangeContains(cidr, range))] },
  });
  return [block('0.0.0.0/0', specialIpv4Ranges), block(globalIpv6.range, globalIpv6.except)];
}

function renderPeer(peer: Peer): V1NetworkPolicyPeer {
  return 'cidr' in peer
    ? { ipBlock: { cidr: peer.cidr } }
    : {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': peer.namespace } },
        podSelector: { matchLabels: { ...peer.labels } },
      };
}

const tcp = (port: number): V1NetworkPolicyPort => ({ protocol: 'TCP', port });
