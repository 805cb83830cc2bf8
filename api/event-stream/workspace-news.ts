/**
 * Collects from announcements which lists of which workspaces may have changed; reports
 * them at most once a second.
 */
import type { WorkspaceTopic } from '../../contract/browser-stream.ts';

export interface WorkspaceNews {
  workspaceId: string;
  topic: WorkspaceTopic;
}

/**
 * The lists of its workspace that a session's event or another change of it affects; null means that
 * anything may have changed.
 */
function topicsOf(eventType: string | null): WorkspaceTopic[] {
  switch (eventType) {
    case null:
      return ['sessions', 'permission_requests', 'tool_definitions'];
    case 'agent.permission_request':
    case 'permission.decided':
    case 'session.status_changed':
      return ['sessions', 'permission_requests'];
    case 'agent.input_requested':
    case 'user.message':
    case 'agent.shared':
    case 'agent.preview':
    case 'preview.ended':
    case 'session.authorization_required':
    case 'platform.notice':
      return ['sessions'];
    case 'session.tools_changed':
      return ['tool_definitions'];
    default:
      return [];
  }
}

type SubscribeWorkspace = (workspaceId: string, wake: (eventType: string | null) => void) => () => void;

/** Listens to the workspaces given to `follow`. `ring` is called when there is something to take. */
export class NewsCollector {
  private readonly stopByWorkspace = new Map<string, () => void>();
  private readonly pending = new Map<string, WorkspaceNews>();
  private takenAtMs = Number.NEGATIVE_INFINITY;
  private readonly subscribe: SubscribeWorkspace;
  private readonly ring: () => void;
  private readonly atMostEveryMs: number;

  constructor(subscribe: SubscribeWorkspace, ring: () => void, atMostEveryMs: number) {
    this.subscribe = subscribe;
    this.ring = ring;
    this.atMostEveryMs = atMostEveryMs;
  }

  /** Follows exactly these workspaces from now on. */
  follow(workspaceIds: ReadonlySet<string>): void {
    for (const [id, stop] of this.stopByWorkspace) {
      if (!workspaceIds.has(id)) {
        stop();
        this.stopByWorkspace.delete(id);
      }
    }
    for (const id of workspaceIds) {
      if (!this.stopByWorkspace.has(id)) {
        this.stopByWorkspace.set(
          id,
          this.subscribe(id, (eventType) => this.collect(id, eventType)),
        );
      }
    }
  }

  /**
   * Returns what was collected for the followed workspaces; nothing when the last call
   * that did was too recent.
   */
  take(): WorkspaceNews[] {
    if (this.pending.size === 0 || this.dueInMs() > 0) {
      return [];
    }
    this.takenAtMs = performance.now();
    const news = [...this.pending.values()].filter(({ workspaceId }) =>
      this.stopByWorkspace.has(workspaceId),
    );
    this.pending.clear();
    return news;
  }

  /** Keeps for the next `take` what was taken and not sent. */
  putBack(news: readonly WorkspaceNews[]): void {
    for (const each of news) {
      this.pending.set(`${each.workspaceId} ${each.topic}`, each);
    }
  }

  /** How long until `take` returns what is pending; infinite when nothing is. */
  dueInMs(): number {
    return this.pending.size === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(0, this.takenAtMs + this.atMostEveryMs - performance.now());
  }

  private collect(workspaceId: string, eventType: string | null): void {
    const topics = topicsOf(eventType);
    for (const topic of topics) {
      this.pending.set(`${workspaceId} ${topic}`, { workspaceId, topic });
    }
    if (topics.length > 0) {
      this.ring();
    }
  }
}
