/* There are no pages to advise about: takes the place of the system header in the page. */
