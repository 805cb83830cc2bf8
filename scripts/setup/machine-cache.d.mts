export declare function machineCache(environment: NodeJS.ProcessEnv, ...path: string[]): string;
