/** What goes with an agent that is deleted. Pure. */
import type { RemovedWithAgent } from '../api/types.ts';

const counted = (count: number, one: string, several: string) => `${count} ${count === 1 ? one : several}`;

/**
 * "3 sessions with their transcripts, 1 file handed out, 2 permission requests and 4
 * grants. 1 schedule pauses"
 */
export function removalText({
  sessions,
  artifacts,
  permission_requests: requests,
  grants,
  schedules,
}: RemovedWithAgent): string {
  const parts = [
    counted(sessions, 'session with its transcript', 'sessions with their transcripts'),
    counted(artifacts, 'file handed out', 'files handed out'),
    counted(requests, 'permission request', 'permission requests'),
  ];
  const paused = schedules === 0 ? '' : `. ${counted(schedules, 'schedule pauses', 'schedules pause')}`;
  return `${parts.join(', ')} and ${counted(grants, 'grant', 'grants')}${paused}`;
}
