import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFilters } from '../list/filters.tsx';

interface TabView {
  value: string;
  label: string;
  content: ReactNode;
}

interface ViewTabsProps {
  /** For screen readers. */
  label: string;
  /** The parameter of the address that names the view. The first view needs none. */
  name?: string;
  views: readonly [TabView, ...TabView[]];
  /** The view that is shown whatever the address says. */
  always?: string | undefined;
}

/** The views of a page as tabs. The address names the open one. */
export const ViewTabs = ({ label, name = 'view', views, always }: ViewTabsProps) => {
  const { valueOf, set } = useFilters(name);
  const wanted = always ?? valueOf(name);
  const first = views[0].value;
  return (
    <Tabs
      value={views.some(({ value }) => value === wanted) ? wanted : first}
      onChange={(chosen) => set(name, chosen === first ? null : chosen)}
      keepMounted={false}
    >
      <Tabs.List aria-label={label} style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}>
        {views.map((view) => (
          <Tabs.Tab key={view.value} value={view.value}>
            {view.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {views.map((view) => (
        <Tabs.Panel key={view.value} value={view.value} pt="md">
          {view.content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
};
