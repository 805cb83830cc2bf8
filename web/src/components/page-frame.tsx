import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { usePageTitle } from '../app/page-title.ts';
import { Icon } from './icon.tsx';

/**
 * Every page's frame: its one `h1`, the browser's title, what one can do here, then the content. `tabTitle`
 * is for a tab that should say more than the page's heading. With `pinned`, which stands below the heading,
 * both stay in view on a long page.
 */
export function PageFrame({
  title,
  heading = title,
  tabTitle = title,
  status,
  description,
  parent,
  actions,
  pinned,
  width = 'detail',
  children,
}: {
  title: string;
  /** The title with marks where it is somebody's own words. */
  heading?: ReactNode;
  tabTitle?: string;
  /** Beside the heading: how the thing is. */
  status?: ReactNode;
  description?: ReactNode;
  /** The page of all that this is one of. */
  parent?: { to: string; label: string };
  actions?: ReactNode;
  pinned?: ReactNode;
  /** A list has the whole window, what is read or filled in as much as one can follow. */
  width?: 'list' | 'detail' | 'form';
  children: ReactNode;
}) {
  usePageTitle(tabTitle);
  return (
    <div className={`page page-${width}`}>
      <div className={pinned === undefined ? 'page-head' : 'page-head pinned-head'}>
        <div className="page-head-line">
          <div>
            {parent === undefined ? null : (
              <Link href={parent.to} className="page-parent">
                <Icon name="chevronLeft" size={12} />
                {parent.label}
              </Link>
            )}
            <div className="page-title">
              <Title order={1} size="h2" className="text-block">
                {heading}
              </Title>
              {status}
            </div>
            {description === undefined ? null : <div className="page-description">{description}</div>}
          </div>
          {actions === undefined || actions === null ? null : <Group gap="xs">{actions}</Group>}
        </div>
        {pinned}
      </div>
      {children}
    </div>
  );
}
