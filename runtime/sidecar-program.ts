/**
 * Options of Node for a sidecar. It keeps little for long: a small young generation costs its calls no measurable time, and without
 * these its memory grows to twice as much under load.
 */
export const sidecarNodeOptions = ['--max-semi-space-size=1', '--initial-old-space-size=8'] as const;
