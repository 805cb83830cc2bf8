/**
 * Pure: paths that an image declares as volumes. Left alone, an engine or a node gives each a directory on
 * its disk, without a limit.
 */
import { defaultImageLimits } from '../../lib/oci/limits.ts';
import { UnsupportedWorkloadError } from '../workload.ts';
import { containerPaths } from './workload-plan.ts';

const ofPlatform = [
  containerPaths.session,
  containerPaths.bootDirectory,
  containerPaths.platform,
  containerPaths.report,
  containerPaths.relayDirectory,
];

/** The same limit as for reading images, enforced where they run. Each is a separate file system. */
const mostVolumes = defaultImageLimits.volumes;

/** Nothing that an engine or a kubelet could interpret as an option or a path traversal. */
export const isMountPath = (path: string): boolean => /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._-]+)+$/.test(path);

/**
 * The paths that empty scratch has to be mounted at, each once: those that `declared` names and `covered`
 * does not. Throws UnsupportedWorkloadError for too many, and for a path reserved by the platform.
 */
export function volumesToCover(
  image: string,
  declared: readonly string[],
  covered: readonly string[],
): string[] {
  const paths = [...new Set(declared.map(withoutSlash))].filter((path) => !covered.includes(path));
  if (paths.length > mostVolumes) {
    throw new UnsupportedWorkloadError(
      `the image ${image} declares ${paths.length} volumes; the maximum is ${mostVolumes}`,
    );
  }
  const refused = paths.find((path) => !isMountPath(path) || isOfPlatform(path));
  if (refused !== undefined) {
    throw new UnsupportedWorkloadError(
      `the image ${image} declares a volume at ${JSON.stringify(refused)}, a path reserved for the platform, or not a valid one`,
    );
  }
  return paths;
}

const withoutSlash = (path: string) => path.replace(/\/+$/, '');

/** Also when it is below or above a reserved path. */
function isOfPlatform(path: string): boolean {
  return ofPlatform.some((own) => `${path}/`.startsWith(`${own}/`) || `${own}/`.startsWith(`${path}/`));
}
