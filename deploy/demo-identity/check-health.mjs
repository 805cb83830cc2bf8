/** For health checks of containers: exits 0 when the address answers with success, else 1. */
const answer = await fetch(process.argv[2], { signal: AbortSignal.timeout(4_000) }).catch(() => null);
process.exit(answer?.ok ? 0 : 1);
