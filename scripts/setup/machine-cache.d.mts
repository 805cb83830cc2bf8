export declare function machineCache(environment: NodeJS.ProcessEnv, ...path: string[]): string;
export declare function cachedImage(name: string): string;
export declare function engineDirectory(engine: 'containers' | 'docker'): string;
