/**
 * Options of Node for a sidecar. Its young generation is small, and still has room for what 64 calls in
 * flight hold, which would otherwise grow old before it is garbage. The old one grows to 64 MiB before it is
 * collected: lines of a megabyte count towards it, and would have it collected 30 times a second. Whatever
 * load made either grow, V8 returns within half a minute of quiet.
 */
export const sidecarNodeOptions = ['--max-semi-space-size=4', '--initial-old-space-size=64'] as const;

/** How a machine's own process runs a sidecar: `programsDirectory` has the built programs. */
export const sidecarCommand = (node: string, programsDirectory: string): string[] => [
  node,
  ...sidecarNodeOptions,
  `${programsDirectory}/sidecar.js`,
];

/**
 * Variables of a sidecar, for the system's memory allocator: without them it keeps some 2 MiB more. The
 * sidecar's image sets the same.
 */
export const sidecarEnvironment = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '65536' } as const;
