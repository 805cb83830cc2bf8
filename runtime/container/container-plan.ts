/** What the engine creates for a session, in terms of the Engine API: without any secret. */
import type {
  ContainerImage,
  ContainerSpec,
  ContainerWorkload,
} from '../container-workload/container-workload.ts';

/** How sessions are put on an engine: what `config/container-engine.ts` reads. */
export interface EngineSettings {
  /** Tells this platform's containers from those of another one on the same engine. */
  installation: string;
  /** Where sidecars reach the API and are reached. */
  platformNetwork: string;
  /** The network of containers with `internet`. */
  internetNetwork: string;
  /** Resolvers of containers with `internet`. */
  dnsServers: readonly string[];
  /** Size of each scratch path that an image declares. */
  temporaryBytes: number;
}

export interface VolumePlan {
  name: string;
  labels: Record<string, string>;
  /** Of the engine's `local` driver; empty for a directory on its disk. */
  options: Record<string, string>;
}

/**
 * The body of a create request, all but its environment. Every field is set: nothing is left
 * to the engine's defaults.
 */
export interface ContainerBody {
  Image: string;
  Entrypoint: string[];
  Cmd: [];
  User: string;
  WorkingDir?: string;
  /** Not where the network is another container's. */
  Hostname?: string;
  Labels: Record<string, string>;
  StopSignal: 'SIGTERM';
  StopTimeout: number;
  Healthcheck: { Test: ['NONE'] };
  Tty: false;
  OpenStdin: false;
  HostConfig: {
    NetworkMode: string;
    Dns?: string[];
    /** Names with the addresses that they have, as `name:address`. */
    ExtraHosts?: string[];
    DnsOptions?: string[];
    ReadonlyRootfs: true;
    Privileged: false;
    CapDrop: ['ALL'];
    CapAdd: 'NET_ADMIN'[];
    SecurityOpt: ['no-new-privileges'];
    GroupAdd: string[];
    IpcMode: 'private';
    PublishAllPorts: false;
    Memory: number;
    MemorySwap: number;
    NanoCpus: number;
    PidsLimit: number;
    OomScoreAdj: number;
    LogConfig: { Type: 'json-file'; Config: { 'max-size': string; 'max-file': string } };
    RestartPolicy: { Name: 'no' };
    AutoRemove: false;
    Init: false;
    /** Volumes by name, never a path of the host. */
    Binds: string[];
  };
}

export interface ContainerPlan {
  /** Within the session. */
  name: string;
  image: ContainerImage;
  /** Null for a container that only holds the network of others. */
  spec: ContainerSpec | null;
  /**
   * What a container that holds a network opens of it when it starts: scheme, host
   * and port; null for nothing.
   */
  opens: string | null;
  body: ContainerBody;
}

export interface SessionPlan {
  sessionId: string;
  boot: ContainerWorkload['boot'];
  volumes: VolumePlan[];
  sidecar: ContainerPlan;
  /** In waves: each needs the network of those before it. */
  waves: ContainerPlan[][];
}
