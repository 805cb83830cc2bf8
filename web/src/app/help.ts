/** The pages of the documentation, served with the UI as the text that they are: those of this release. */
import type { SectionPath } from './paths.ts';

// .dockerignore has them, too.
const pages: Readonly<Record<string, string>> = import.meta.glob(
  '../../../docs/{audit,bring-your-own-agent,catalog,channels,grants,operations,previews,schedules,secrets,sessions,settings,shared-data,sign-in,walk-through}.md',
  { query: '?url', import: 'default', eager: true },
);

const pageOf: Readonly<Record<SectionPath, string>> = {
  home: 'walk-through',
  sessions: 'sessions',
  approvals: 'grants',
  schedules: 'schedules',
  previews: 'previews',
  agents: 'bring-your-own-agent',
  catalog: 'catalog',
  secrets: 'secrets',
  channels: 'channels',
  data: 'shared-data',
  insights: 'audit',
  grants: 'grants',
  audit: 'audit',
  members: 'sign-in',
  system: 'operations',
  settings: 'settings',
};

/** The address of the page that fits a section; of the walk through all of it for any other place. */
export const helpFor = (section: string | undefined): string =>
  pages[`../../../docs/${pageOf[section as SectionPath] ?? pageOf.home}.md`] ?? '';
