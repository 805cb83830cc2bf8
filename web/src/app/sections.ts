/**
 * The sections of a workspace, in the groups and the order of the navigation. Each is a folder of pages/ that
 * loads when it is opened.
 */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { loadPage } from './load-page.ts';
import type { SectionPath } from './paths.ts';

export interface Section {
  path: SectionPath;
  label: string;
  /** Members of the workspace do not see it in the navigation; the API refuses them its data. */
  adminOnly: boolean;
  page: LazyExoticComponent<ComponentType>;
}

const section = (
  path: SectionPath,
  label: string,
  load: () => Promise<{ default: ComponentType }>,
  adminOnly = false,
): Section => ({ path, label, adminOnly, page: lazy(() => loadPage(load)) });

/** Where one begins; it stands above the groups. */
export const homeSection = section('home', 'Home', () => import('../pages/home/home-section.tsx'));

export const sectionGroups: readonly { label: string; sections: readonly Section[] }[] = [
  {
    label: 'Work',
    sections: [
      section('sessions', 'Sessions', () => import('../pages/sessions/sessions-section.tsx')),
      section('approvals', 'Approvals', () => import('../pages/approvals/approvals-section.tsx')),
      section('schedules', 'Schedules', () => import('../pages/schedules/schedules-section.tsx')),
      section('previews', 'Previews', () => import('../pages/previews/previews-section.tsx')),
    ],
  },
  {
    label: 'Build',
    sections: [
      section('agents', 'Agents', () => import('../pages/agents/agents-section.tsx')),
      section('catalog', 'MCP servers', () => import('../pages/catalog/catalog-section.tsx')),
      section('secrets', 'Secrets', () => import('../pages/secrets/secrets-section.tsx')),
      section('channels', 'Channels', () => import('../pages/channels/channels-section.tsx'), true),
      section('data', 'Shared data', () => import('../pages/data/data-section.tsx')),
    ],
  },
  {
    label: 'Govern',
    sections: [
      section('insights', 'Insights', () => import('../pages/insights/insights-section.tsx')),
      section('grants', 'Grants', () => import('../pages/grants/grants-section.tsx')),
      section('audit', 'Audit trail', () => import('../pages/audit/audit-section.tsx'), true),
      section('members', 'Members', () => import('../pages/members/members-section.tsx')),
      section('system', 'System', () => import('../pages/system/system-section.tsx'), true),
      section('settings', 'Settings', () => import('../pages/settings/settings-section.tsx'), true),
    ],
  },
];

export const sections: readonly Section[] = [
  homeSection,
  ...sectionGroups.flatMap((group) => group.sections),
];
