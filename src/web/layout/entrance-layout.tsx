import { Outlet } from 'react-router';
import { useLanguage } from '../language/language.tsx';
import { ColorSchemeChoice, LanguageChoice, Logo } from './choices.tsx';
import classes from './entrance-layout.module.css';
import { ProgressBar } from './loading.tsx';

/** The frame of the pages that are open without signing in: the product's name above one card. */
export const EntranceLayout = () => {
  useLanguage();
  return (
    <div className={classes['frame']}>
      <ProgressBar />
      <header className={classes['header']}>
        <LanguageChoice />
        <ColorSchemeChoice />
      </header>
      <main className={classes['main']}>
        <div className={classes['product']}>
          <Logo size={36} />
          Team Customer API
        </div>
        <Outlet />
      </main>
    </div>
  );
};
